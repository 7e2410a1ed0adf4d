internal import CallProtocol

extension Switchboard {
    mutating func signIn(
        _ envelope: Envelope?, on connection: ConnectionID, at now: Moment
    ) -> [SwitchboardAction] {
        let shape = "the first message is no sign-in of the documented shape"
        guard let envelope, let version = envelope.version else { return refuse(connection, code: 400, text: shape) }
        // The version is checked first: the format of other versions is unknown.
        guard version == 1 else { return refuse(connection, code: 426, text: "this server speaks version 1 only") }
        guard envelope.type == "signIn", let user = envelope.user else {
            return refuse(connection, code: 400, text: shape)
        }
        guard SignalingLimits.isName(user) else {
            return refuse(connection, code: 400, text: "the user is no valid name")
        }
        let device = envelope.device ?? Party.defaultDevice
        guard SignalingLimits.isName(device) else {
            return refuse(connection, code: 400, text: "the device is no valid name")
        }

        var seat = Seat(party: Party(user: user, device: device), resume: policy.newResume())
        if let verifier = policy.verifier {
            do throws(TokenVerifier.Refusal) {
                let grant = try grant(envelope.token, to: seat.party, by: verifier, at: now)
                seat.tokenID = grant.tokenID
                seat.expiresUnixMs = grant.expiresUnixMs
                seat.anonymous = grant.mayCall.map { Seat.Anonymous(mayCall: $0) }
            } catch {
                return refuse(connection, code: error.code, text: error.text)
            }
        }
        guard !policy.hasRelay else {
            return enterRelay(seat, resume: envelope.resume, token: envelope.token, on: connection)
        }
        switch makeRoom(for: &seat, presenting: envelope.resume, at: now) {
        case .failure(let refusal): return refuse(connection, code: refusal.code, text: refusal.text)
        case .success(let actions): return actions + take(seat, on: connection, at: now)
        }
    }

    /// Returns what a token allows; throws if it is refused or denied.
    func grant(
        _ token: String?, to party: Party, by verifier: TokenVerifier, at now: Moment
    ) throws(TokenVerifier.Refusal) -> TokenVerifier.Grant {
        let grant = try verifier.grant(for: token, to: party, unixMs: now.unixMs)
        guard !denied.denies(party.user, tokenID: grant.tokenID) else { throw .wrong(DenyList.refusal) }
        return grant
    }

    mutating func refuse(_ connection: ConnectionID, code: Int, text: String) -> [SwitchboardAction] {
        lines[connection] = nil
        return [.send(.refused(code: code, text: text), to: connection), .close(connection, text: text)]
    }

    /// Makes room for `seat`: returns the actions about devices that are signed in already, or why they stay.
    mutating func makeRoom(
        for seat: inout Seat, presenting resume: String?, at now: Moment
    ) -> Result<[SwitchboardAction], RoutingRefusal> {
        let party = seat.party
        if let refusal = accountRefusal(of: seat) { return .failure(refusal) }
        let strangers = seats(of: party.user).filter { ($0.seat.anonymous != nil) != (seat.anonymous != nil) }
        var actions = strangers.flatMap { replace($0.connection, $0.seat, at: now) }

        if let old = seats(of: party.user).first(where: { $0.seat.party == party }) {
            if resume == old.seat.resume {
                // The same program reconnected before its old connection timed out: its calls continue, without notice to others.
                lines[old.connection] = nil
                presence.forget(old.connection)
                seat.anonymous?.calls = old.seat.anonymous?.calls ?? []
                actions.append(.close(old.connection, text: Self.replaced))
            } else if policy.verifier != nil || policy.hasRelay {
                actions += replace(old.connection, old.seat, at: now)
            } else {
                return .failure(RoutingRefusal(409, "\(party.user) is signed in already"))
            }
        } else if (devices[party.user]?.count ?? 0) >= policy.devicesPerUser {
            return .failure(RoutingRefusal(429, "\(party.user) has \(policy.devicesPerUser) devices already"))
        }
        return .success(actions)
    }

    private func seats(of user: String) -> [(connection: ConnectionID, seat: Seat)] {
        (devices[user] ?? [:]).sorted { $0.key < $1.key }.compactMap { device in
            lines[device.value]?.seat.map { (device.value, $0) }
        }
    }

    /// A name with an account belongs to the account: a user without an account neither keeps it nor gets it.
    func accountRefusal(of seat: Seat) -> RoutingRefusal? {
        let user = seat.party.user
        guard seat.anonymous != nil, seats(of: user).contains(where: { $0.seat.anonymous == nil }) else { return nil }
        return RoutingRefusal(409, "\(user) is signed in with an account")
    }

    /// The close text for a replaced connection; clients recognise it by its first word.
    private static let replaced = "replaced by a newer sign-in of this device"

    private mutating func replace(_ connection: ConnectionID, _ seat: Seat, at now: Moment) -> [SwitchboardAction] {
        lines[connection] = nil
        presence.forget(connection)
        return [.close(connection, text: Self.replaced)] + leave(seat, at: now)
    }

    mutating func take(_ seat: Seat, on connection: ConnectionID, at now: Moment) -> [SwitchboardAction] {
        let party = seat.party
        let isNew = devices[party.user]?[party.device] == nil
        lines[connection]?.seat = seat
        devices[party.user, default: [:]][party.device] = connection
        if seat.anonymous == nil { known.insert(party.user) }
        let servers = iceServers(for: seat, at: now)
        let signedIn = ServerMessage.signedIn(
            party, resume: seat.resume, tokenExpiresInMs: seat.expiresUnixMs.map { $0 - now.unixMs },
            unixMs: now.unixMs, iceServers: servers)
        return [.send(signedIn, to: connection)] + tokenTimers(of: seat, on: connection, at: now)
            + (servers.map { [renewal(of: $0, on: connection)] } ?? []) + (isNew ? announce(seat) : [])
    }
}
