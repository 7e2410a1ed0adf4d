internal import CallProtocol

extension Switchboard {
    /// The longest time of a timer, so that no date in a token overflows a clock.
    private static let longestTimerMs = 86_400_000

    /// How often it is looked whether the calls of a guest whose token has expired are over.
    private static let guestCallCheckMs = 5_000
    /// A guest stays no longer than this after the end of its token.
    private static let longestGuestCallMs = 4 * 3_600_000

    /// A timer fired: its work is due, unless the timer fired early.
    mutating func timerFired(
        _ timer: SessionTimer, on connection: ConnectionID, at now: Moment
    ) -> [SwitchboardAction] {
        guard let seat = lines[connection]?.seat else { return [] }
        switch timer {
        case .iceServers:
            guard let servers = iceServers(for: seat, at: now) else { return [] }
            return [.send(.iceServers(servers), to: connection), renewal(of: servers, on: connection)]
        case .tokenWarning:
            guard let left = seat.expiresUnixMs.map({ $0 - now.unixMs }) else { return [] }
            guard left <= policy.tokenWarningMs else {
                return [schedule(timer, connection, left - policy.tokenWarningMs)]
            }
            return [.send(.tokenWillExpire(inMs: max(left, 0)), to: connection)]
        case .tokenExpiry:
            guard let left = seat.expiresUnixMs.map({ $0 - now.unixMs }) else { return [] }
            guard left <= 0 else { return [schedule(timer, connection, left)] }
            // The token of a guest says when it may place a call. It may have no way to get another one.
            let mayStay = seat.anonymous != nil && left > -Self.longestGuestCallMs
            if mayStay, calls.count(invitedBy: seat.party) > 0 {
                return [schedule(timer, connection, Self.guestCallCheckMs)]
            }
            return [.close(connection, text: "the token expired")]
        }
    }

    func tokenTimers(of seat: Seat, on connection: ConnectionID, at now: Moment) -> [SwitchboardAction] {
        guard let expiry = seat.expiresUnixMs else { return [] }
        let left = expiry - now.unixMs
        return [
            schedule(.tokenWarning, connection, left - policy.tokenWarningMs), schedule(.tokenExpiry, connection, left),
        ]
    }

    func iceServers(for seat: Seat, at now: Moment) -> ServerMessage.IceServers? {
        policy.iceServers.map {
            .init(servers: $0.servers(for: seat.party.user, unixMs: now.unixMs), validForMs: $0.lifetimeMs)
        }
    }

    /// Gives new credentials early enough for a relay that was allocated at the last moment.
    func renewal(of servers: ServerMessage.IceServers, on connection: ConnectionID) -> SwitchboardAction {
        schedule(.iceServers, connection, servers.validForMs / 4 * 3)
    }

    mutating func renew(
        _ envelope: Envelope, of seat: Seat, on connection: ConnectionID, at now: Moment
    ) -> [SwitchboardAction] {
        func refused(_ code: Int, _ text: String) -> [SwitchboardAction] {
            [.send(.renewalRefused(code: code, text: text), to: connection)]
        }
        guard let verifier = policy.verifier else { return refused(400, "this server knows no tokens") }
        do throws(TokenVerifier.Refusal) {
            let grant = try grant(envelope.token, to: seat.party, by: verifier, at: now)
            guard (grant.mayCall == nil) == (seat.anonymous == nil) else {
                return refused(403, "the token is of another kind than the one that was signed in with")
            }
            var renewed = seat
            renewed.expiresUnixMs = grant.expiresUnixMs
            renewed.tokenID = grant.tokenID
            if let mayCall = grant.mayCall { renewed.anonymous?.mayCall = mayCall }
            lines[connection]?.seat = renewed
            // One that expires at the same time changes no timer: another warning would be answered with the same token again.
            let timers =
                seat.expiresUnixMs == grant.expiresUnixMs ? [] : tokenTimers(of: renewed, on: connection, at: now)
            return [.send(.renewed(tokenExpiresInMs: grant.expiresUnixMs - now.unixMs), to: connection)] + timers
        } catch {
            return refused(error.code, error.text)
        }
    }

    mutating func watch(
        _ envelope: Envelope, of seat: Seat, on connection: ConnectionID
    ) -> [SwitchboardAction] {
        func refused(_ code: Int, _ text: String) -> [SwitchboardAction] {
            [.send(.watchRefused(code: code, text: text), to: connection)]
        }
        guard seat.anonymous == nil else { return refused(403, "an anonymous user watches nobody") }
        let present: [String]
        switch envelope.users {
        case .everybody:
            guard policy.hasDirectory else { return refused(403, "this server has no directory; name the users") }
            guard !policy.hasRelay else {
                return [.send(.watching, to: connection), .watchAtRelay(connection, users: nil)]
            }
            presence.watchEverybody(by: connection)
            present = devices.keys.sorted()
        case .named(let users):
            guard users.count <= policy.watchedUsers, users.allSatisfy(SignalingLimits.isName) else {
                return refused(400, "users are at most \(policy.watchedUsers) valid names")
            }
            guard !policy.hasRelay else {
                return [.send(.watching, to: connection), .watchAtRelay(connection, users: Set(users).sorted())]
            }
            presence.watch(Set(users), by: connection)
            present = Set(users).sorted()
        case nil: return refused(400, "users is neither a list of names nor a star")
        }
        let messages = present.map { presenceMessage(of: $0) }.filter {
            // A directory does not list users without an account, not even as offline.
            if case .presence(_, let devices) = $0 { !devices.isEmpty || envelope.users != .everybody } else { true }
        }
        return [.send(.watching, to: connection)] + messages.map { .send($0, to: connection) }
    }

    private func schedule(_ timer: SessionTimer, _ connection: ConnectionID, _ milliseconds: Int) -> SwitchboardAction {
        .schedule(timer, for: connection, afterMs: min(max(milliseconds, 0), Self.longestTimerMs))
    }
}
