import Foundation
import FoundationNetworking
import Testing

/// Debian's Chromium, driven by its chromedriver over HTTP (W3C WebDriver).
final class Chromium: Browser {
    static let path = "/usr/bin/chromium"
    static let driverPath = "/usr/bin/chromedriver"

    let program: Program
    private let base: String
    private let session: String

    init(_ options: BrowserOptions) async throws {
        let driver = try Program(["--port=0"], path: Self.driverPath)
        program = driver
        try await eventually("chromedriver listens") { driver.output.contains("successfully on port") }
        let port = try Self.port(driver.output)
        base = "http://127.0.0.1:\(port)"
        var arguments = [
            "--headless=new", "--no-sandbox", "--use-fake-device-for-media-stream",
            "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection",
            "--disable-background-networking", "--no-first-run", "--mute-audio",
        ]
        if options.allowsDevices { arguments.append("--use-fake-ui-for-media-stream") }
        if !options.hidesAddresses { arguments.append("--disable-features=WebRtcHideLocalIpsWithMdns") }
        // A page that asks in vain does not wait for somebody to click.
        let settings = ["profile.default_content_setting_values": ["media_stream_mic": 2, "media_stream_camera": 2]]
        var chrome: [String: Any] = ["binary": Self.path, "args": arguments]
        if !options.allowsDevices { chrome["prefs"] = settings }
        let capabilities: [String: Any] = ["browserName": "chrome", "goog:chromeOptions": chrome]
        let answer = try await Self.request(base, "POST", "/session", ["capabilities": ["alwaysMatch": capabilities]])
        struct Created: Decodable { let value: Session }
        struct Session: Decodable { let sessionId: String }
        session = try JSONDecoder().decode(Created.self, from: answer).value.sessionId
        try await command("POST", "/timeouts", ["script": 30_000])
    }

    func open(_ url: String) async throws { try await command("POST", "/url", ["url": url]) }

    func run(_ body: String) async throws -> Data {
        struct Answer: Decodable { let value: String }
        let script: [String: Any] = ["script": webDriverScript(body), "args": [String]()]
        let answer = try await command("POST", "/execute/async", script)
        return Data(try JSONDecoder().decode(Answer.self, from: answer).value.utf8)
    }

    func close() async {
        // It ends the browser, and then the driver is told to end itself.
        _ = try? await command("DELETE", "")
        program.signal(SIGTERM)
        _ = try? await program.waitForExit(within: .seconds(10))
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
        try await Self.request(base, method, "/session/\(session)\(path)", body)
    }

    private static func request(
        _ base: String, _ method: String, _ path: String, _ body: [String: Any]?
    ) async throws -> Data {
        guard let url = URL(string: base + path) else { throw BrowserError(description: "no URL: \(path)") }
        var request = URLRequest(url: url, timeoutInterval: 60)
        request.httpMethod = method
        if let body {
            request.httpBody = try JSONSerialization.data(withJSONObject: body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw BrowserError(description: "\(method) \(path): \(String(decoding: data.prefix(600), as: UTF8.self))")
        }
        return data
    }
}
