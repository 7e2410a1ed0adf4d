/// The rules of the server: who is signed in, which call belongs to whom, where a message goes.
///
/// A plain value. Facts go in, actions come out; it knows no socket, no clock and no thread.
struct Switchboard: Sendable {
    private var nextConnection: UInt64 = 0
    private var nextMessage: UInt64 = 0
    /// Every connection that may still speak.
    private var lines: [ConnectionID: Line] = [:]
    private var connections: [String: ConnectionID] = [:]
    private var calls = CallBook()
    private var known: UserMemory
    private let callsPerConnection: Int

    private enum Line: Sendable, Equatable {
        /// Can transition to: signedIn, or out of the switchboard.
        case signingIn
        /// Can transition to: out of the switchboard.
        case signedIn(String)
    }

    init(callsPerConnection: Int = 256, rememberedUsers: Int = 100_000) {
        self.callsPerConnection = callsPerConnection
        known = UserMemory(capacity: rememberedUsers)
    }

    /// The user who signed in on `connection`.
    func user(of connection: ConnectionID) -> String? {
        if case .signedIn(let user) = lines[connection] { user } else { nil }
    }

    /// A client connected.
    mutating func opened() -> ConnectionID {
        nextConnection += 1
        let connection = ConnectionID(number: nextConnection)
        lines[connection] = .signingIn
        return connection
    }

    /// A text arrived; `envelope` is nil when it is not a JSON object.
    mutating func received(
        _ envelope: Envelope?, on connection: ConnectionID, unixMs: Int
    ) -> [SwitchboardAction] {
        switch lines[connection] {
        case .signingIn: signIn(envelope, on: connection)
        case .signedIn(let user): route(envelope ?? Envelope(), of: user, on: connection, unixMs: unixMs)
        // What a refused client sends until its connection is closed is nobody's.
        case nil: []
        }
    }

    /// The time to sign in is over.
    mutating func signInTimedOut(_ connection: ConnectionID) -> [SwitchboardAction] {
        guard lines[connection] == .signingIn else { return [] }
        return refuse(connection, code: 408, text: "no sign-in came in time")
    }

    /// A connection closed, or is about to: nothing is sent to it any more.
    mutating func closed(_ connection: ConnectionID, unixMs: Int) -> [SwitchboardAction] {
        guard case .signedIn(let user) = lines.removeValue(forKey: connection) else { return [] }
        connections[user] = nil
        return calls.left(user).compactMap { call in
            let other = call.inviter == user ? call.invitee : call.inviter
            guard let receiver = connections[other] else { return nil }
            let gone = ServerMessage.gone(
                id: newMessageId(), callId: call.callId, from: user, to: other, unixMs: unixMs)
            return .send(gone, to: receiver)
        }
    }

    // MARK: Signing in

    private mutating func signIn(_ envelope: Envelope?, on connection: ConnectionID) -> [SwitchboardAction] {
        guard let envelope, let version = envelope.version else {
            return refuse(connection, code: 400, text: "the first message is no sign-in of the documented shape")
        }
        // The version comes first: what else another one looks like is not known here.
        guard version == 1 else { return refuse(connection, code: 426, text: "this server speaks version 1 only") }
        guard envelope.type == "signIn", let user = envelope.user else {
            return refuse(connection, code: 400, text: "the first message is no sign-in of the documented shape")
        }
        guard Name.isValid(user) else { return refuse(connection, code: 400, text: "the user is no valid name") }
        guard connections[user] == nil else {
            return refuse(connection, code: 409, text: "\(user) is signed in already")
        }
        lines[connection] = .signedIn(user)
        connections[user] = connection
        known.insert(user)
        return [.send(.signedIn(user: user), to: connection)]
    }

    private mutating func refuse(_ connection: ConnectionID, code: Int, text: String) -> [SwitchboardAction] {
        lines[connection] = nil
        return [.send(.refused(code: code, text: text), to: connection), .close(connection, text: text)]
    }

    // MARK: Call messages

    private mutating func route(
        _ envelope: Envelope, of user: String, on connection: ConnectionID, unixMs: Int
    ) -> [SwitchboardAction] {
        let problem: (code: Int, text: String)
        switch deliver(envelope, of: user) {
        case .success(let receiver): return [.forward(to: receiver)]
        case .failure(let refusal): problem = (refusal.code, refusal.text)
        }
        // Two ends that answered each other's errors would never stop.
        guard envelope.type != "error" else { return [] }
        let fault = ServerMessage.Fault(
            code: problem.code, text: problem.text, callId: legible(envelope.callId), ref: legible(envelope.id),
            generation: envelope.generation.flatMap { (0...10_000).contains($0) ? $0 : nil } ?? 0)
        return [.send(.error(fault, id: newMessageId(), to: user, unixMs: unixMs), to: connection)]
    }

    private struct Refusal: Error {
        var code: Int
        var text: String
    }

    private mutating func deliver(_ envelope: Envelope, of user: String) -> Result<ConnectionID, Refusal> {
        guard let version = envelope.version else { return refusal(400, "no JSON object with a version v") }
        guard version == 1 else { return refusal(426, "this server speaks version 1 only") }
        guard let type = envelope.type, type != "gone" else { return refusal(400, "no type that a client may send") }
        guard let id = envelope.id, Name.isValid(id) else { return refusal(400, "id is no valid name") }
        guard let callId = envelope.callId, Name.isValid(callId) else {
            return refusal(400, "callId is no valid name")
        }
        guard envelope.from == user else { return refusal(400, "from is not \(user), who is signed in here") }
        guard let to = envelope.to, Name.isValid(to) else { return refusal(400, "to is no valid name") }

        let own = CallBook.Entry(callId: callId, inviter: user, invitee: to)
        let others = CallBook.Entry(callId: callId, inviter: to, invitee: user)
        // What ends a call ends it here too when the other user cannot be told.
        switch type {
        case "reject": calls.remove(others)
        case "cancel": calls.remove(own)
        case "hangup":
            calls.remove(own)
            calls.remove(others)
        default: break
        }
        guard let receiver = connections[to] else {
            return known.contains(to) ? refusal(480, "\(to) is signed in no more") : refusal(404, "no user \(to)")
        }
        if type == "invite", !calls.contains(own) {
            guard calls.count(invitedBy: user) < callsPerConnection else {
                return refusal(429, "\(user) has \(callsPerConnection) calls already")
            }
            calls.insert(own)
        }
        return .success(receiver)
    }

    private func refusal(_ code: Int, _ text: String) -> Result<ConnectionID, Refusal> {
        .failure(Refusal(code: code, text: text))
    }

    private func legible(_ name: String?) -> String { name.flatMap { Name.isValid($0) ? $0 : nil } ?? "-" }

    private mutating func newMessageId() -> String {
        nextMessage += 1
        return "server-\(nextMessage)"
    }
}
