import CallProtocol
import Testing

@testable import CallAgent

/// A call with bob, the peer in most tests.
extension CallKey: ExpressibleByStringInterpolation {
    /// Makes the key of a call with bob.
    public init(stringLiteral id: String) { self.init(peer: "bob", callId: id) }
}

extension CallRouting {
    /// A call to add.
    struct Listed {
        var peer = "bob"
        var role: CallRole
        var state: CallState
    }

    /// Adds a call; returns false if it is refused.
    mutating func add(_ id: String, _ call: Listed) -> Bool {
        add(CallKey(peer: call.peer, callId: id), Active(role: call.role, state: call.state))
    }

    /// Adds a call and requires that it is not refused.
    mutating func list(_ id: String, _ call: Listed, sourceLocation: SourceLocation = #_sourceLocation) {
        let isAdded = add(id, call)
        #expect(isAdded, "\(id) is refused", sourceLocation: sourceLocation)
    }

    /// Routes a message from bob to alice.
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
