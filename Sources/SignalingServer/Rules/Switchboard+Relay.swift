internal import CallProtocol

/// A server with a relay: its clients sign in there, and all messages go there.
extension Switchboard {
    /// The relay took the client.
    mutating func entered(_ connection: ConnectionID, at now: Moment) -> [SwitchboardAction] {
        guard let line = lines[connection], let seat = line.entering else { return [] }
        lines[connection]?.entering = nil
        return take(seat, on: connection, at: now)
    }

    /// The relay did not take the client.
    mutating func notEntered(_ connection: ConnectionID, _ error: RelayError) -> [SwitchboardAction] {
        guard lines[connection]?.entering != nil else { return [] }
        switch error {
        case .refused(let code, let text): return refuse(connection, code: code, text: text)
        case .unreachable(let text): return [.close(connection, text: text)]
        }
    }

    /// The relay has a message for a client.
    func relayed(_ envelope: @autoclosure () -> Envelope?, to connection: ConnectionID) -> [SwitchboardAction] {
        guard let seat = lines[connection]?.seat else { return [] }
        if seat.anonymous != nil {
            // An error of the relay has no sender.
            guard let envelope = envelope(), let callId = envelope.callId,
                (envelope.from ?? "").isEmpty || seat.allows(callId, with: envelope.from ?? "")
            else { return [] }
        }
        return [.forward(to: connection)]
    }

    /// The relay reports the devices of a user.
    func relayed(presence user: String, devices: [String], to connection: ConnectionID) -> [SwitchboardAction] {
        guard lines[connection]?.seat != nil else { return [] }
        return [.send(.presence(user: user, devices: devices), to: connection)]
    }

    /// The relay lets nobody watch these users.
    func watchRefused(_ connection: ConnectionID, _ error: RelayError) -> [SwitchboardAction] {
        guard lines[connection]?.seat != nil, case .refused(let code, let text) = error else { return [] }
        return [.send(.watchRefused(code: code, text: text), to: connection)]
    }

    /// The client is signed in at the relay no more.
    func relayEnded(_ connection: ConnectionID, text: String) -> [SwitchboardAction] {
        guard lines[connection] != nil else { return [] }
        return [.close(connection, text: text)]
    }
}
