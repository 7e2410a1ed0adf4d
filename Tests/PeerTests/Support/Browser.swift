import Foundation

/// A browser that a test drives, with one page.
protocol Browser: Sendable {
    /// Its process, or that of its driver.
    var program: Program { get }
    func open(_ url: String) async throws
    /// Runs the body of an asynchronous function in the page; its result comes back as JSON.
    func run(_ body: String) async throws -> Data
    /// Does what a person's hands do: an input source with its actions (W3C WebDriver).
    func act(_ source: [String: Any]) async throws
    /// Gives the page this size in CSS pixels, as on a telephone.
    func resize(width: Int, height: Int) async throws
    func close() async
}

/// What a page's script threw, or what a driver complained about.
struct BrowserError: Error, CustomStringConvertible {
    let description: String
}

/// What ``webDriverScript(_:)`` says of a script.
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

    /// Presses a key of the keyboard, and lets it go.
    func press(_ key: String) async throws {
        let actions = ["keyDown", "keyUp"].map { ["type": $0, "value": key] }
        try await act(["type": "key", "id": "keyboard", "actions": actions])
    }

    /// Presses the button of the mouse at a place of the page.
    func press(x: Int, y: Int) async throws {
        let moves: [String: Any] = ["type": "pointerMove", "origin": "viewport", "x": x, "y": y]
        let actions = [moves] + ["pointerDown", "pointerUp"].map { ["type": $0, "button": 0] }
        try await act(["type": "pointer", "id": "mouse", "actions": actions])
    }

    /// Does something in the page.
    func perform(_ body: String) async throws { _ = try await evaluate("\(body)\nreturn true", as: Bool.self) }
}

/// The script that a driver runs: WebDriver hands it a function to call with its result.
func webDriverScript(_ body: String) -> String {
    """
    const done = arguments[arguments.length - 1];
    (async () => { \(body) })().then(
      (value) => done(JSON.stringify({ value })), (error) => done(JSON.stringify({ error: String(error) })));
    """
}

/// Starts a browser for a test, and closes it however the test ends.
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
