internal import CallProtocol

/// A server with a relay: its clients sign in there, and all messages go there.
extension Switchboard {
    /// Asks the relay to take a client; nobody makes room for it before the relay has.
    mutating func enterRelay(
        _ seat: Seat, resume: String?, token: String?, on connection: ConnectionID
    ) -> [SwitchboardAction] {
        // At the relay an account would lose its name to it.
        if let refusal = accountRefusal(of: seat) { return refuse(connection, code: refusal.code, text: refusal.text) }
        // A program that comes back, from another server perhaps, is the same one to others.
        let known = resume.flatMap { SignalingLimits.isName($0) ? $0 : nil }
        let seat = known.map { Seat(seat, resume: $0) } ?? seat
        lines[connection]?.entering = seat
        return [.enterRelay(connection, seat.party, token: token, session: seat.resume)]
    }

    /// The relay took the client.
    mutating func entered(_ connection: ConnectionID, at now: Moment) -> [SwitchboardAction] {
        guard var seat = lines[connection]?.entering else { return [] }
        lines[connection]?.entering = nil
        switch makeRoom(for: &seat, presenting: seat.resume, at: now) {
        case .failure(let refusal): return refuse(connection, code: refusal.code, text: refusal.text)
        case .success(let actions): return actions + take(seat, on: connection, at: now)
        }
    }

    /// The relay did not take the client.
    mutating func notEntered(_ connection: ConnectionID, _ error: RelayError) -> [SwitchboardAction] {
        guard lines[connection]?.entering != nil else { return [] }
        switch error {
        case .refused(let code, let text): return refuse(connection, code: code, text: text.plain)
        case .unreachable(let text): return [.close(connection, text: text.plain)]
        }
    }

    /// The relay has a message for a client, which answers it if it cannot read it.
    ///
    /// A text without an envelope is dropped: the client could read another sender in it than the relay did.
    func relayed(_ envelope: Envelope?, to connection: ConnectionID) -> [SwitchboardAction] {
        guard let seat = lines[connection]?.seat, let envelope else { return [] }
        if seat.anonymous != nil {
            // An error of the relay has no sender.
            guard let callId = envelope.callId,
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
        return [.send(.watchRefused(code: code, text: text.plain), to: connection)]
    }

    /// The client is signed in at the relay no more.
    mutating func relayEnded(_ connection: ConnectionID, text: String) -> [SwitchboardAction] {
        guard let line = lines[connection] else { return [] }
        // Perhaps because the same program is signing in here again: the relay's word of that may come first.
        if let seat = line.seat, let calls = seat.anonymous?.calls {
            for (other, next) in lines where next.entering?.party == seat.party && next.entering?.resume == seat.resume
            {
                lines[other]?.entering?.anonymous?.calls.formUnion(calls)
            }
        }
        return [.close(connection, text: text.plain)]
    }
}

extension String {
    /// The words of a relay for a message or a close frame: without what JSON escapes, and short.
    ///
    /// A close frame has room for 123 bytes (RFC 6455, section 5.5).
    fileprivate var plain: String {
        var text = ""
        for scalar in unicodeScalars {
            let isEscaped = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
            let next: Unicode.Scalar = isEscaped ? " " : scalar
            guard text.utf8.count + UTF8.width(next) <= 123 else { break }
            text.unicodeScalars.append(next)
        }
        return text
    }
}
