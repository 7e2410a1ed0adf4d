import Foundation
import Testing

/// A user of the page: clicks its buttons, and observes the received video and audio.
struct PageUser {
    let browser: any Browser
    let name: String

    /// Opens the page and signs in.
    init(_ browser: any Browser, _ server: CallServer, as name: String, token: String = "") async throws {
        self.browser = browser
        self.name = name
        try await browser.open(server.page)
        try await browser.perform(
            """
            document.getElementById('user').value = '\(name)';
            document.getElementById('token').value = '\(token)';
            document.getElementById('sign-in-form').requestSubmit();
            """)
        // If the server requires a token, the page asks for it.
        if token.isEmpty, server.wantsTokens {
            try await until("asked for a token", "document.getElementById('token-details').open")
            return
        }
        try await until("signed in", "window.callagent !== undefined && !document.getElementById('home').hidden")
    }

    /// Opens a page whose peer's media a script shows in the element `remote-video`.
    init(_ browser: any Browser, page: String, as name: String) async throws {
        (self.browser, self.name) = (browser, name)
        try await browser.open(page)
    }

    /// Waits until an expression of the page is true.
    func until(
        _ text: String, _ expression: String, within limit: Duration = .seconds(20),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        do {
            try await eventually("\(name): \(text)", within: limit, sourceLocation: sourceLocation) {
                try await browser.evaluate("return Boolean(\(expression))", as: Bool.self)
            }
        } catch {
            let call = try? await browser.evaluate("return JSON.stringify(\(Self.summary))", as: String.self)
            Issue.record("the page's call: \(call ?? "none")", sourceLocation: sourceLocation)
            throw error
        }
    }

    private static let summary = """
        (({ call } = window.callagent ?? {}) => call && {
          state: call.state, end: call.end, media: call.media, hold: call.hold, timeline: call.timeline,
          figures: call.figures })()
        """

    /// The state of the call in the page's client.
    func state() async throws -> String { try await browser.evaluate("return window.callagent.call?.state ?? 'none'") }

    func waitForState(_ state: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await until(
            state, "window.callagent.call?.state === '\(state)'", sourceLocation: sourceLocation)
    }

    /// The end reason of the call, with the program's names.
    func waitForEnd(
        within limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        try await until("ended", "window.callagent.call?.end", within: limit, sourceLocation: sourceLocation)
        return try await browser.evaluate("return window.callagent.call.end.reason")
    }

    func click(_ selector: String) async throws {
        try await browser.perform("document.querySelector(`\(selector)`).click()")
    }

    /// Clicks with the mouse, which also moves the focus.
    func press(_ selector: String) async throws {
        var (place, former): ([Int], [Int]) = ([], [])
        // The layout may still be changing.
        try await eventually("\(selector) stays at its place") {
            former = place
            place = try await browser.evaluate(
                """
                const element = document.querySelector(`\(selector)`);
                const { x, y, width, height } = element.getBoundingClientRect();
                const place = [Math.round(x + width / 2), Math.round(y + height / 2)];
                return element.contains(document.elementFromPoint(...place)) ? place : [];
                """)
            return !place.isEmpty && place == former
        }
        try await browser.press(x: place[0], y: place[1])
    }

    /// Calls a user who is shown as online.
    func call(_ peer: String, video: Bool = true) async throws {
        try await until("sees \(peer)", "document.querySelector('li[data-user=\(peer)][data-online=true]')")
        try await click("li[data-user=\(peer)] [data-call=\(video ? "video" : "audio")]")
    }

    /// Calls a user by name.
    func callByName(_ peer: String) async throws {
        try await browser.perform("document.getElementById('peer').value = '\(peer)'")
        try await click("#call-form [value=video]")
    }

    /// Waits for a call that rings here.
    func waitForRing(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await until("rings", "document.getElementById('incoming').open", sourceLocation: sourceLocation)
    }

    /// Whether the page has shown and played no media of the peer so far, as required before the call is connected.
    ///
    /// If `state` is given, the result is true in any other state. State and stream are read at the same time.
    func seesAndHearsNothing(orIsNot state: String? = nil) async throws -> Bool {
        let exception = state.map { "window.callagent.call.state !== '\($0)' || " } ?? ""
        return try await browser.evaluate(
            """
            return \(exception)document.getElementById('remote-video').srcObject === null
              && window.callagent.call.remoteStream === undefined;
            """)
    }
}
