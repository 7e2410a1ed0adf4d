import Foundation
import Testing

/// Debian's Chromium, driven by its chromedriver over HTTP (W3C WebDriver).
final class Chromium: Browser {
    static let path = "/usr/bin/chromium"
    static let driverPath = "/usr/bin/chromedriver"

    let program: Program
    private let port: Int
    private let session: String
    private let folder: String

    init(_ options: BrowserOptions) async throws {
        // The temporary files of the two are in here.
        folder = NSTemporaryDirectory() + "callagent-chromium-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let microphone = folder + "/microphone.wav"
        let tone = PulsedTone(hertz: Int(BrowserKind.chromium.microphoneHertz))
        try tone.wave.write(to: URL(fileURLWithPath: microphone))
        let driver = try Program(["--port=0"], path: Self.driverPath, environment: ["TMPDIR": folder])
        program = driver
        // Load tests of another target may run beside it.
        try await eventually("chromedriver listens", within: .seconds(60)) {
            driver.output.contains("successfully on port")
        }
        port = try Self.port(driver.output)
        var arguments = [
            "--headless=new", "--no-sandbox", "--use-fake-device-for-media-stream",
            "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection",
            "--disable-background-networking", "--no-first-run", "--mute-audio",
            "--auto-select-desktop-capture-source=Entire screen",
            "--use-file-for-fake-audio-capture=\(microphone)",
        ]
        if let origin = options.trustedOrigin {
            arguments.append("--unsafely-treat-insecure-origin-as-secure=\(origin)")
        }
        if options.allowsDevices { arguments.append("--use-fake-ui-for-media-stream") }
        // Otherwise a page may not reach addresses of a local network.
        var disabled = ["LocalNetworkAccessChecks"]
        if !options.hidesAddresses { disabled.append("WebRtcHideLocalIpsWithMdns") }
        arguments.append("--disable-features=" + disabled.joined(separator: ","))
        var binary = Self.path
        if !options.prefix.isEmpty {
            binary = folder + "/chromium"
            let command = (options.prefix + [Self.path]).joined(separator: " ")
            try "#!/bin/sh\nexec \(command) \"$@\"\n".write(toFile: binary, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: binary)
            // The driver cannot connect to a port there.
            arguments.append("--remote-debugging-pipe")
        }
        // A page without permission gets an error at once and does not wait for a click.
        let settings = ["profile.default_content_setting_values": ["media_stream_mic": 2, "media_stream_camera": 2]]
        var chrome: [String: Any] = ["binary": binary, "args": arguments]
        if !options.allowsDevices { chrome["prefs"] = settings }
        let capabilities: [String: Any] = ["browserName": "chrome", "goog:chromeOptions": chrome]
        let answer = try await Self.request(port, "POST", "/session", ["capabilities": ["alwaysMatch": capabilities]])
        struct Created: Decodable { let value: Session }
        struct Session: Decodable { let sessionId: String }
        session = try JSONDecoder().decode(Created.self, from: answer).value.sessionId
        try await command("POST", "/timeouts", ["script": 30_000])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func open(_ url: String) async throws { try await command("POST", "/url", ["url": url]) }

    func run(_ body: String) async throws -> Data {
        let script: [String: Any] = ["script": webDriverScript(body), "args": [String]()]
        let answer = try await command("POST", "/execute/async", script)
        return Data(try JSONDecoder().decode(DriverText.self, from: answer).value.utf8)
    }

    func act(_ source: [String: Any]) async throws { try await command("POST", "/actions", ["actions": [source]]) }

    func resize(width: Int, height: Int) async throws {
        let isPhone = min(width, height) < 600
        try await emulate(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": isPhone])
    }

    func prefer(_ scheme: ColourScheme) async throws {
        try await emulate(
            "Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": scheme.rawValue]]])
    }

    func setOffline(_ isOffline: Bool) async throws {
        try await emulate("Network.enable", [:])
        try await emulate(
            "Network.emulateNetworkConditions",
            ["offline": isOffline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1])
    }

    func screenshot() async throws -> String {
        try JSONDecoder().decode(DriverText.self, from: try await command("GET", "/screenshot")).value
    }

    func close() async {
        // First the browser ends, then the driver.
        _ = try? await command("DELETE", "")
        _ = try? await Self.request(port, "GET", "/shutdown", nil)
        await program.letEnd(within: .seconds(10))
    }

    /// Runs a command of the Chrome DevTools Protocol.
    private func emulate(_ name: String, _ parameters: [String: Any]) async throws {
        try await command("POST", "/goog/cdp/execute", ["cmd": name, "params": parameters])
    }

    private static func port(_ output: String) throws -> Int {
        let words = output.split { !$0.isNumber && !$0.isLetter }
        guard let index = words.lastIndex(of: "port"), index + 1 < words.count, let port = Int(words[index + 1]) else {
            throw BrowserError(description: "chromedriver said: \(output)")
        }
        return port
    }

    @discardableResult
    private func command(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws -> Data {
        try await Self.request(port, method, "/session/\(session)\(path)", body)
    }

    /// One connection for each request: there are few requests, and no state has to be kept.
    private static func request(
        _ port: Int, _ method: String, _ path: String, _ body: [String: Any]?
    ) async throws -> Data {
        let content = try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
        let head = """
            \(method) \(path) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Content-Type: application/json\r
            Content-Length: \(content.count)\r
            Connection: close\r
            \r

            """
        return try await DispatchQueue(label: "chromedriver").run {
            let socket = try BlockingSocket(port: port, "chromedriver")
            try socket.write(Data(head.utf8) + content)
            let lines = String(decoding: try socket.read(until: "\r\n\r\n"), as: UTF8.self).lowercased()
                .components(separatedBy: "\r\n")
            let length = lines.first { $0.hasPrefix("content-length:") }.flatMap {
                Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces))
            }
            let answer = try socket.read(min(length ?? 0, 64_000_000))
            guard lines.first?.contains(" 200 ") == true else {
                let text = String(decoding: answer.prefix(600), as: UTF8.self)
                throw BrowserError(description: "\(method) \(path): \(lines.first ?? "") \(text)")
            }
            return answer
        }
    }
}
