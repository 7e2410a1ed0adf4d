import CallAgent
import Testing

extension EndToEnd {
    /// A guest has no account and may call only the users that its token names.
    ///
    /// No user can call a guest.
    @Suite struct GuestTests {
        @Test("A guest has a call with a user that its token names")
        func allowed() async throws {
            let (guest, bob, _) = try await people()
            let mine = try await guest.call(bob)
            let theirs = try await bob.ring()
            #expect(theirs.call.peer == "guest-1")
            try await theirs.call.accept()
            for call in [mine, theirs] { try await call.reaches(.connected) }
            try await expectMedia((mine, guest), (theirs, bob))
            // All messages of a call pass in both directions.
            try await theirs.call.send(info: "welcome")
            try await mine.hears(.info("welcome"))
            try await mine.call.hold()
            try await theirs.hears(.holdChanged(.remotelyHeld))
            await theirs.call.hangUp()
            try await mine.ends(.remoteHangup)
            await guest.agent.close()
            await bob.agent.close()
        }

        @Test("A guest's call to another user is refused with an error, and no user can call a guest")
        func refused() async throws {
            let (guest, bob, carol) = try await people()
            let mine = try await guest.call(carol)
            try await mine.ends(.signalingFailed)
            let end = await mine.call.end
            #expect(end?.code == 403 && end?.text == "this token does not allow to call carol")
            #expect(carol.incoming.isEmpty)
            for caller in [bob, carol] {
                let call = try await caller.call(guest)
                try await call.ends(.unknownUser)
            }
            #expect(guest.incoming.isEmpty)
            for station in [guest, bob, carol] { await station.agent.close() }
        }

        @Test("A guest's call outlives its token, and both ends still reach each other")
        func outlives() async throws {
            let (guest, bob, _) = try await people(lifetime: .seconds(8))
            let signedIn = ContinuousClock.now
            let mine = try await guest.call(bob)
            let theirs = try await bob.ring()
            try await theirs.call.accept()
            for call in [mine, theirs] { try await call.reaches(.connected) }
            try await eventually("the token is over") { ContinuousClock.now - signedIn > .milliseconds(8_500) }
            try await expectMedia((mine, guest), (theirs, bob))
            try await mine.call.send(info: "still there?")
            try await theirs.hears(.info("still there?"))
            await mine.call.hangUp()
            try await theirs.ends(.remoteHangup)
            await guest.agent.close()
            await bob.agent.close()
        }

        private func people(
            lifetime: Duration = .seconds(600)
        ) async throws -> (guest: Station, bob: Station, carol: Station) {
            let server = try await TestServer(tokenWarning: .seconds(1))
            func station(_ user: String, _ width: Int, _ hertz: Double, mayCall: [String]? = nil) async throws
                -> Station
            {
                let lifetime = mayCall == nil ? .seconds(600) : lifetime
                let token = try server.token(user, lifetime: lifetime, mayCall: mayCall)
                return try await Station(
                    user, at: server.url,
                    token: {
                        // The server runs as long as a user may sign in.
                        _ = server
                        return token
                    }, width: width, hertz: hertz
                ).prepared()
            }
            let (bob, carol) = (try await station("bob", 240, 554), try await station("carol", 272, 660))
            return (try await station("guest-1", 320, 440, mayCall: ["bob"]), bob, carol)
        }
    }
}
