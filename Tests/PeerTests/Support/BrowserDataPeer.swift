import Foundation

/// A data channel peer in a page.
struct BrowserDataPeer: DataPeer {
    private let browser: any Browser

    /// Any page works that the browser treats as a secure context.
    init(_ browser: any Browser, page: String) async throws {
        self.browser = browser
        try await browser.open(page)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Peers/browser_data.js")
        try await browser.perform(try String(contentsOf: script, encoding: .utf8))
    }

    func ask(_ operation: String, _ argument: String) async throws -> Data {
        // JSON is also valid JavaScript.
        let text = try JSONSerialization.data(withJSONObject: argument, options: .fragmentsAllowed)
        let call = "window.dataPeer.\(operation)(\(String(decoding: text, as: UTF8.self)))"
        return Data(try await browser.evaluate("return JSON.stringify((await \(call)) ?? null)", as: String.self).utf8)
    }
}
