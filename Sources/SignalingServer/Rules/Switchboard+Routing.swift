internal import CallProtocol

extension Switchboard {
    mutating func route(
        _ envelope: Envelope, of seat: Seat, on connection: ConnectionID, at now: Moment
    ) -> [SwitchboardAction] {
        do throws(RoutingRefusal) {
            var actions = try deliver(envelope, of: seat, on: connection, at: now)
            if policy.announcesRinging, envelope.type == "invite", let call = envelope.callId, let callee = envelope.to
            {
                let ringing = ServerMessage.ringing(
                    id: newMessageId(), callId: call, from: callee, to: seat.party.user,
                    generation: generation(of: envelope), unixMs: now.unixMs)
                actions.append(.send(ringing, to: connection))
            }
            return actions
        } catch {
            // Two ends that answer each other's errors would never stop; an acknowledgement is an answer already.
            guard envelope.type != "error", envelope.type != "ack" else { return [] }
            let fault = ServerMessage.Fault(
                code: error.code, text: error.text, callId: legible(envelope.callId), ref: legible(envelope.id),
                generation: generation(of: envelope))
            let message = ServerMessage.error(fault, id: newMessageId(), to: seat.party.user, unixMs: now.unixMs)
            return [.send(message, to: connection)]
        }
    }

    /// Checks a message and updates the book of calls; returns where the message goes, or throws the reason why it goes nowhere.
    private mutating func deliver(
        _ envelope: Envelope, of seat: Seat, on connection: ConnectionID, at now: Moment
    ) throws(RoutingRefusal) -> [SwitchboardAction] {
        guard let version = envelope.version else { throw RoutingRefusal(400, "no JSON object with a version v") }
        guard version == 1 else { throw RoutingRefusal(426, "this server speaks version 1 only") }
        guard let type = envelope.type, type != "gone" else {
            throw RoutingRefusal(400, "no type that a client may send")
        }
        guard let id = envelope.id, SignalingLimits.isName(id) else { throw RoutingRefusal(400, "id is no valid name") }
        guard let callId = envelope.callId, SignalingLimits.isName(callId) else {
            throw RoutingRefusal(400, "callId is no valid name")
        }
        let (user, device) = (seat.party.user, seat.party.device)
        guard envelope.from == user else {
            throw RoutingRefusal(400, "from is not \(user), who is signed in here")
        }
        guard envelope.device == nil || envelope.device == device else {
            throw RoutingRefusal(400, "device is not \(device), which is signed in here")
        }
        guard let to = envelope.to, SignalingLimits.isName(to) else { throw RoutingRefusal(400, "to is no valid name") }
        let toDevice = envelope.toDevice
        guard toDevice.map(SignalingLimits.isName) ?? true else {
            throw RoutingRefusal(400, "toDevice is no valid name")
        }
        let opensCall = type == "invite" || type == "query"
        // With a relay the guest may have begun the call at another server; a query would open it anyway.
        let mayBeOpen = policy.hasRelay && !seat.allows(callId, with: to)
        try checkAnonymous(seat, callId, to, opensCall: opensCall || mayBeOpen, at: now)

        if policy.hasRelay {
            // The call is at other servers, too, so no server has the book of it.
            if opensCall || mayBeOpen { try enter(callId, with: to, of: seat, on: connection) }
            return [.relay(from: connection, to: to)]
        }

        let own = CallBook.Entry(callId: callId, inviter: user, invitee: to)
        let others = CallBook.Entry(callId: callId, inviter: to, invitee: user)
        // A message that ends a call also ends it here if the other user cannot be reached.
        if type == "cancel", let winner = envelope.winner {
            calls.keep(own, inviterDevice: device, onlyInviteeDevice: winner, at: now)
        } else if type == "cancel" {
            calls.end(own, inviterDevice: device, inviteeDevice: toDevice, .cancel(code: envelope.code), at: now)
        } else if type == "hangup" {
            calls.end(own, inviterDevice: device, inviteeDevice: toDevice, .hangup(code: envelope.code), at: now)
            calls.end(others, inviteeDevice: device, .hangup(code: envelope.code), at: now)
        } else if type == "reject" {
            calls.end(others, inviteeDevice: device, .reject, rejection: envelope.code, at: now)
        } else if type == "accept" {
            calls.accepted(others, by: device, at: now)
        }

        let receivers = try receivers(callId, of: seat, on: connection, to: to, toDevice: toDevice)
        if type == "query", calls.contains(others) {
            calls.join(others, inviteeDevice: device)
        } else if opensCall {
            try enter(own, of: seat, on: connection, receivers: receivers, isResumed: type == "query", at: now)
        }
        return receivers.map { .forward(to: $0) }
    }

    private func receivers(
        _ callId: String, of seat: Seat, on connection: ConnectionID, to: String, toDevice: String?
    ) throws(RoutingRefusal) -> [ConnectionID] {
        // A user without an account is visible only in its own calls; for all others it does not exist.
        let present = (devices[to] ?? [:]).filter {
            lines[$0.value]?.seat?.allows(callId, with: seat.party.user) == true
        }
        if present.isEmpty {
            guard devices[to] == nil, known.contains(to) else { throw RoutingRefusal(404, "no user \(to)") }
            throw RoutingRefusal(480, "\(to) is signed in no more")
        }
        if let toDevice {
            guard let receiver = present[toDevice], receiver != connection else {
                throw RoutingRefusal(480, "\(to) is not signed in as the device \(toDevice)")
            }
            return [receiver]
        }
        let others = present.filter { $0.value != connection }.sorted { $0.key < $1.key }.map(\.value)
        guard !others.isEmpty else { throw RoutingRefusal(480, "\(to) has no other device") }
        return others
    }

    private func checkAnonymous(
        _ seat: Seat, _ callId: String, _ to: String, opensCall: Bool, at now: Moment
    ) throws(RoutingRefusal) {
        guard let anonymous = seat.anonymous else { return }
        if opensCall {
            let entry = CallBook.Entry(callId: callId, inviter: seat.party.user, invitee: to)
            let isOpen = calls.contains(entry, inviterDevice: seat.party.device)
            guard isOpen || seat.expiresUnixMs.map({ $0 > now.unixMs }) ?? true else {
                throw RoutingRefusal(410, "the token expired")
            }
            guard anonymous.mayCall.contains(to) else {
                throw RoutingRefusal(403, "this token does not allow to call \(to)")
            }
        } else if !seat.allows(callId, with: to) {
            throw RoutingRefusal(403, "an anonymous user takes part in its own calls only")
        }
    }

    /// Records a call, if the limits allow one more.
    private mutating func enter(
        _ entry: CallBook.Entry, of seat: Seat, on connection: ConnectionID, receivers: [ConnectionID],
        isResumed: Bool, at now: Moment
    ) throws(RoutingRefusal) {
        let party = seat.party
        if !calls.contains(entry, inviterDevice: party.device) {
            guard calls.count(invitedBy: party) < policy.callsPerConnection else {
                throw RoutingRefusal(429, "\(party.user) has \(policy.callsPerConnection) calls already")
            }
            guard calls.count(invitedBy: party.user) < policy.callsPerUser else {
                throw RoutingRefusal(429, "\(party.user) has \(policy.callsPerUser) calls already, over all devices")
            }
        }
        try enter(entry.callId, with: entry.invitee, of: seat, on: connection)
        calls.insert(
            entry, inviterDevice: party.device, inviteeDevices: receivers.compactMap { lines[$0]?.seat?.party.device },
            isResumed: isResumed, at: now)
    }

    /// Records a call of an anonymous user, who takes part in its own calls only.
    private mutating func enter(
        _ callId: String, with other: String, of seat: Seat, on connection: ConnectionID
    ) throws(RoutingRefusal) {
        guard let anonymous = seat.anonymous else { return }
        let call = Seat.Call(callId: callId, other: other)
        guard anonymous.calls.contains(call) || anonymous.calls.count < policy.callsPerConnection else {
            throw RoutingRefusal(429, "\(seat.party.user) had \(policy.callsPerConnection) calls already")
        }
        lines[connection]?.seat?.anonymous?.calls.insert(call)
    }

    private func generation(of envelope: Envelope) -> Int {
        envelope.generation.flatMap { (0...10_000).contains($0) ? $0 : nil } ?? 0
    }

    private func legible(_ name: String?) -> String { name.flatMap { SignalingLimits.isName($0) ? $0 : nil } ?? "-" }
}
