import TestServers
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("A NAT that gives an end another port during a call") struct PathCheckTests {
        /// A call whose caller or callee is behind `translator`, which is made for the first candidate of the other one.
        private func options(callerIsBehind: Bool, _ translator: Shared<AddressTranslator?>) -> LoopbackCall.Options {
            var options = LoopbackCall.Options()
            // The peer of the end behind the NAT learns no address of that end.
            let hide: @Sendable (IceCandidate) -> IceCandidate? = { _ in nil }
            let translate: @Sendable (IceCandidate) -> IceCandidate? = { candidate in
                var words = candidate.candidate.split(separator: " ").map(String.init)
                guard words.count > 5, words[2].lowercased() == "udp", let port = UInt16(words[5]) else { return nil }
                if translator.value == nil { translator.set(try? AddressTranslator(peer: port)) }
                guard let port = translator.value?.port else { return nil }
                words[5] = String(port)
                return IceCandidate(mLine: candidate.mLine, candidate: words.joined(separator: " "))
            }
            options.rewriteCandidate = callerIsBehind ? hide : translate
            options.rewriteCalleeCandidate = callerIsBehind ? translate : hide
            return options
        }

        @Test(
            "The peer learns the new port by a check, and media goes on without a restart, as often as that happens",
            arguments: [true, false])
        func moves(callerIsBehind: Bool) async throws {
            let translator = Shared<AddressTranslator?>(nil)
            try await withCall(options(callerIsBehind: callerIsBehind, translator)) { call in
                try await call.connect()
                let (behind, peer) = callerIsBehind ? (call.caller, call.callee) : (call.callee, call.caller)
                for end in call.ends { try await end.waitForTone() }
                for _ in 1...3 {
                    let nat = try #require(translator.value)
                    // The silence is known by the rhythm of the media so far.
                    try await call.ends.waitForMoreFrames(60)
                    let before = await peer.peer.statistics().transport.selectedPair
                    #expect(before?.remote.port == Int(nat.outerPort))
                    try nat.move()
                    try await call.ends.waitForMoreFrames(30)
                    try await call.ends.waitForMoreAudio(9_600)
                    let after = await peer.peer.statistics().transport.selectedPair
                    #expect(after?.remote.port == Int(nat.outerPort) && after?.remote.type == .peerReflexive)
                    #expect(after?.local == before?.local)
                }
                for end in [behind, peer] { #expect(end.failure == nil) }
            }
        }

        /// Lets the end behind `nat` check its path now, and waits until the check would have arrived there.
        private func check(_ ice: IceAgent, behind nat: AddressTranslator) async throws {
            let isDone = Shared(false)
            IceThread.shared.run {
                ice.checkPath()
                isDone.set(true)
            }
            try await eventually("the check") { isDone.value }
            try await nat.waitUntilRead()
        }

        @Test("A check leaves a connected end, and none leaves it after its end")
        func checksOfTheConnected() async throws {
            let translator = Shared<AddressTranslator?>(nil)
            var options = options(callerIsBehind: true, translator)
            options.kinds = [.audio]
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForTone() }
                let nat = try #require(translator.value)
                let ice = try #require(await call.caller.peer.media?.ice)
                let before = nat.checks
                try await check(ice, behind: nat)
                #expect(nat.checks > before)
                await call.caller.peer.close()
                try await nat.waitUntilRead()
                let last = nat.checks
                try await check(ice, behind: nat)
                #expect(nat.checks == last)
            }
        }

        /// A NAT in front of such an end does not change the address that the peer sees.
        ///
        /// The translator is behind the server here, and only counts.
        @Test("No check leaves an end whose packets come from a TURN server")
        func checksOfRelays() async throws {
            let turn = try await TurnServer()
            let translator = Shared<AddressTranslator?>(nil)
            var options = options(callerIsBehind: true, translator)
            options.kinds = [.audio]
            options.rewriteCandidate = { $0 }
            options.configure = {
                guard $0.label == "caller" else { return }
                $0.iceServers = [
                    StunTurnServer(
                        urls: [turn.url("udp")], username: TurnServer.username, credential: TurnServer.credential)
                ]
                $0.iceTransportPolicy = .relay
            }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForTone() }
                let nat = try #require(translator.value)
                let statistics = await call.caller.peer.statistics()
                #expect(statistics.transport.selectedPair?.local.type == .relay)
                #expect(statistics.transport.selectedPair?.remote.port == Int(nat.port))
                let ice = try #require(await call.caller.peer.media?.ice)
                let before = nat.checks
                try await check(ice, behind: nat)
                // What the server got before the next audio has left it when that arrives.
                try await [call.callee].waitForMoreAudio(9_600)
                #expect(nat.checks == before)
            }
        }
    }
}
