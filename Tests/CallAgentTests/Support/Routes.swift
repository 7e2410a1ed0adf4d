import Testing

@testable import CallAgent

extension CallRouting {
    /// Adds a call that must be taken.
    mutating func list(_ id: String, _ call: Active, sourceLocation: SourceLocation = #_sourceLocation) {
        let isAdded = add(id, call)
        #expect(isAdded, "\(id) is refused", sourceLocation: sourceLocation)
    }

    /// What becomes of a message of bob's to alice.
    mutating func route(
        _ body: SignalingMessage.Body, call: String, from: String = "bob", to: String = "alice",
        sentUnixMs: Double = 0, unixMs: Double = 0
    ) -> Route {
        route(
            SignalingMessage(id: "m", callId: call, from: from, to: to, sentUnixMs: sentUnixMs, body: body),
            unixMs: unixMs)
    }
}

extension CallRouting.Route {
    var isStray: Bool { if case .stray = self { true } else { false } }
}
