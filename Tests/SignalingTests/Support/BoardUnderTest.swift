import CallProtocol
import Testing

@testable import SignalingServer

/// A ``Switchboard`` with clocks that a test sets, and predictable resumes: `resume-1`, `resume-2` and so on.
struct BoardUnderTest {
    var board: Switchboard
    var now = Moment(unixMs: 5, uptimeMs: 5)

    init(_ configure: (inout SwitchboardPolicy) -> Void = { _ in }) {
        var policy = SwitchboardPolicy()
        let counter = Counter()
        policy.newResume = { "resume-\(counter.next())" }
        configure(&policy)
        board = Switchboard(policy: policy)
    }

    func party(of connection: ConnectionID) -> Party? { board.party(of: connection) }

    mutating func opened() -> ConnectionID { board.opened(at: now) }

    mutating func received(_ envelope: Envelope?, on connection: ConnectionID) -> [SwitchboardAction] {
        board.received(envelope, on: connection, at: now)
    }

    mutating func signInTimedOut(_ connection: ConnectionID) -> [SwitchboardAction] {
        board.signInTimedOut(connection)
    }

    mutating func closed(_ connection: ConnectionID, isSilent: Bool = false) -> [SwitchboardAction] {
        board.closed(connection, isSilent: isSilent, at: now)
    }

    mutating func signedIn(_ user: String, device: String? = nil, token: String? = nil) -> ConnectionID {
        let connection = opened()
        let actions = received(Self.signIn(user, device: device, token: token), on: connection)
        if case .send(.signedIn, connection) = actions.first(where: {
            if case .send(.signedIn, _) = $0 { true } else { false }
        }) {
            return connection
        }
        Issue.record("\(user) was not signed in: \(actions)")
        return connection
    }

    static func signIn(
        _ user: String, device: String? = nil, resume: String? = nil, token: String? = nil
    ) -> Envelope {
        Envelope(version: 1, type: "signIn", device: device, user: user, resume: resume, token: token)
    }

    static func message(
        _ from: String, _ to: String, _ type: String = "ringing", call: String = "c1", id: String = "m1",
        device: String? = nil, toDevice: String? = nil
    ) -> Envelope {
        Envelope(
            version: 1, type: type, id: id, callId: call, from: from, to: to, device: device, toDevice: toDevice)
    }

    static func refusal(_ actions: [SwitchboardAction]) -> Int? {
        guard actions.count == 2, case .send(.refused(let code, _), _) = actions[0], case .close = actions[1] else {
            return nil
        }
        return code
    }

    static func fault(_ actions: [SwitchboardAction]) -> ServerMessage.Fault? {
        guard actions.count == 1, case .send(.error(let fault, _, _, _), _) = actions[0] else { return nil }
        return fault
    }

    /// The `gone` messages among `actions`, as "call from/device to connection".
    static func gone(_ actions: [SwitchboardAction]) -> [String] {
        actions.compactMap {
            guard case .send(.gone(_, let call, let from, _, _), let receiver) = $0 else { return nil }
            return "\(call) \(from.user)/\(from.device) \(receiver.number)"
        }
    }
}
