import CallProtocol
import Testing

@testable import CallAgent

/// A call with bob, whom most tests are about.
extension CallKey: ExpressibleByStringInterpolation {
    /// Names a call with bob.
    public init(stringLiteral id: String) { self.init(peer: "bob", callId: id) }
}

extension CallRouting {
    /// A call to add.
    struct Listed {
        var peer = "bob"
        var role: CallRole
        var state: CallState
    }

    /// Adds a call; false when it is not taken.
    mutating func add(_ id: String, _ call: Listed) -> Bool {
        add(CallKey(peer: call.peer, callId: id), Active(role: call.role, state: call.state))
    }

    /// Adds a call that must be taken.
    mutating func list(_ id: String, _ call: Listed, sourceLocation: SourceLocation = #_sourceLocation) {
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
