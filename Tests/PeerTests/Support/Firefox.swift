import Foundation
import Testing

/// Debian's Firefox ESR, driven by its built-in protocol (Marionette).
final class Firefox: Browser {
    static let path = "/usr/bin/firefox-esr"

    let program: Program
    private let marionette: Marionette
    private let profile: String

    /// The profile of a Firefox that has started once and shown no page.
    ///
    /// The databases and caches of a new profile take Firefox longer than everything else at its start.
    private static let blank = Task {
        let folder = newFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let firefox = try await Firefox(BrowserOptions(), profile: folder)
        await firefox.quit()
        // Then everything is written.
        await firefox.program.letEnd(within: .seconds(20))
        // The port of a Firefox that has ended.
        try? FileManager.default.removeItem(atPath: folder + "/MarionetteActivePort")
        try FileManager.default.moveItem(atPath: folder, toPath: blankFolder)
        atexit { try? FileManager.default.removeItem(atPath: Firefox.blankFolder) }
        return blankFolder
    }
    private static let blankFolder = newFolder()

    private static func newFolder() -> String {
        NSTemporaryDirectory() + "callagent-firefox-\(UUID().uuidString)"
    }

    /// Starts it with a copy of ``blank``: no browser knows what another one has seen.
    convenience init(_ options: BrowserOptions) async throws {
        let profile = Self.newFolder()
        try FileManager.default.copyItem(atPath: try await Self.blank.value, toPath: profile)
        try await self.init(options, profile: profile)
    }

    private init(_ options: BrowserOptions, profile: String) async throws {
        self.profile = profile
        try Self.preferences(options).write(toFile: profile + "/user.js", atomically: true, encoding: .utf8)
        program = try Program(
            ["--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile],
            path: Self.path,
            environment: ["MOZ_CRASHREPORTER_DISABLE": "1"])
        var port: Int?
        try await eventually("Firefox listens", within: .seconds(60)) {
            port = (try? String(contentsOfFile: profile + "/MarionetteActivePort", encoding: .utf8)).flatMap { Int($0) }
            return port != nil
        }
        marionette = try await Marionette(port: port ?? 0)
        try await marionette.command("WebDriver:NewSession", [:])
        try await marionette.command("WebDriver:SetTimeouts", ["script": 30_000])
    }

    deinit { try? FileManager.default.removeItem(atPath: profile) }

    func open(_ url: String) async throws { try await marionette.command("WebDriver:Navigate", ["url": url]) }

    func run(_ body: String) async throws -> Data {
        let script: [String: Any] = ["script": webDriverScript(body), "args": [String]()]
        let answer = try await marionette.command("WebDriver:ExecuteAsyncScript", script)
        return Data(try JSONDecoder().decode(DriverText.self, from: answer).value.utf8)
    }

    func act(_ source: [String: Any]) async throws {
        try await marionette.command("WebDriver:PerformActions", ["actions": [source]])
    }

    /// A window cannot be as narrow as a phone, but the page in it can.
    func resize(width: Int, height: Int) async throws {
        try await runInWindow(
            """
            const { style } = gBrowser.selectedBrowser;
            Object.assign(style, { width: '\(width)px', height: '\(height)px', minWidth: '0', flex: 'none' });
            """)
    }

    func prefer(_ scheme: ColourScheme) async throws {
        let value = scheme == .dark ? 0 : 1
        try await runInWindow("Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', \(value))")
    }

    func setOffline(_ isOffline: Bool) async throws { try await runInWindow("Services.io.offline = \(isOffline)") }

    func screenshot() async throws -> String {
        let answer = try await marionette.command("WebDriver:TakeScreenshot", ["full": false, "hash": false])
        return try JSONDecoder().decode(DriverText.self, from: answer).value
    }

    /// Runs a script in the browser's own window, which contains the page.
    private func runInWindow(_ script: String) async throws {
        try await marionette.command("Marionette:SetContext", ["value": "chrome"])
        try await marionette.command("WebDriver:ExecuteScript", ["script": script, "args": [String]()])
        try await marionette.command("Marionette:SetContext", ["value": "content"])
    }

    /// Closes the page in order.
    private func quit() async { _ = try? await marionette.command("Marionette:Quit", ["flags": ["eForceQuit"]]) }

    func close() async {
        await quit()
        // Nobody needs what it would write to its profile.
        program.signal(SIGKILL)
        await program.letEnd(within: .seconds(20))
    }

    private static func preferences(_ options: BrowserOptions) -> String {
        var lines = [
            "marionette.port": "0", "media.navigator.streams.fake": "true",
            "media.navigator.permission.disabled": "\(options.allowsDevices)", "media.autoplay.default": "0",
            "media.autoplay.blocking_policy": "0", "media.peerconnection.ice.loopback": "true",
            "media.peerconnection.ice.obfuscate_host_addresses": "\(options.hidesAddresses)",
            "media.gmp-manager.updateEnabled": "false", "browser.shell.checkDefaultBrowser": "false",
            "datareporting.policy.dataSubmissionEnabled": "false", "app.normandy.enabled": "false",
            "browser.safebrowsing.update.enabled": "false", "network.captive-portal-service.enabled": "false",
            "network.connectivity-service.enabled": "false",
        ]
        if !options.allowsDevices {
            lines["permissions.default.camera"] = "2"
            lines["permissions.default.microphone"] = "2"
        }
        return lines.map { "user_pref(\"\($0.key)\", \($0.value));\n" }.sorted().joined()
    }
}
