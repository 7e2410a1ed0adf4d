import Foundation

/// A browser with one page, controlled by a test.
protocol Browser: Sendable {
    /// The process of the browser or of its driver.
    var program: Program { get }
    func open(_ url: String) async throws
    /// Runs the body of an asynchronous function in the page and returns its result as JSON.
    func run(_ body: String) async throws -> Data
    /// Performs the actions of an input source (W3C WebDriver), like a user.
    func act(_ source: [String: Any]) async throws
    /// Sets the size of the page in CSS pixels, as on a phone.
    func resize(width: Int, height: Int) async throws
    /// Sets the colour scheme that the user prefers.
    func prefer(_ scheme: ColourScheme) async throws
    /// Tells the browser that the machine has lost its network, or has it back.
    ///
    /// Connections to this machine that are open continue.
    func setOffline(_ isOffline: Bool) async throws
    /// What the page shows, as a PNG file in Base64.
    func screenshot() async throws -> String
    func close() async
}

/// A colour scheme of a page.
enum ColourScheme: String, CaseIterable, Sendable {
    case light
    case dark
}

/// An error that a page's script threw or a driver returned.
struct BrowserError: Error, CustomStringConvertible {
    let description: String
}

/// An answer of a driver that is a text.
struct DriverText: Decodable { let value: String }

/// The result of a script run by ``webDriverScript(_:)``.
private struct ScriptOutcome<Value: Decodable>: Decodable {
    let value: Value?
    let error: String?
}

extension Browser {
    /// Runs the body of an asynchronous function in the page.
    func evaluate<Value: Decodable>(_ body: String, as type: Value.Type = Value.self) async throws -> Value {
        let outcome = try JSONDecoder().decode(ScriptOutcome<Value>.self, from: try await run(body))
        guard let value = outcome.value else {
            throw BrowserError(description: outcome.error ?? "no value of the expected kind: \(body)")
        }
        return value
    }

    /// Presses and releases a key of the keyboard.
    func press(_ key: String) async throws {
        let actions = ["keyDown", "keyUp"].map { ["type": $0, "value": key] }
        try await act(["type": "key", "id": "keyboard", "actions": actions])
    }

    /// Clicks the mouse at a place of the page.
    func press(x: Int, y: Int) async throws {
        let moves: [String: Any] = ["type": "pointerMove", "origin": "viewport", "x": x, "y": y]
        let actions = [moves] + ["pointerDown", "pointerUp"].map { ["type": $0, "button": 0] }
        try await act(["type": "pointer", "id": "mouse", "actions": actions])
    }

    /// Runs a statement in the page.
    func perform(_ body: String) async throws { _ = try await evaluate("\(body)\nreturn true", as: Bool.self) }
}

/// The script that a driver runs.
///
/// WebDriver passes it a callback for the result.
func webDriverScript(_ body: String) -> String {
    """
    const done = arguments[arguments.length - 1];
    (async () => { \(body) })().then(
      (value) => done(JSON.stringify({ value })), (error) => done(JSON.stringify({ error: String(error) })));
    """
}

/// Starts a browser for a test and closes it at the end, also if the test fails.
func withBrowser<Result>(
    _ kind: BrowserKind, _ options: BrowserOptions = BrowserOptions(), _ body: (any Browser) async throws -> Result
) async throws -> Result {
    try kind.require()
    let browser = try await kind.start(options)
    do {
        let result = try await body(browser)
        await browser.close()
        return result
    } catch {
        await browser.close()
        throw error
    }
}
