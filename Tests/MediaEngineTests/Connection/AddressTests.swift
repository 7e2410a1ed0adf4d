import TestServers
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Local addresses and ports") struct AddressTests {
        @Test(
            "Candidates and the socket in use have the chosen address and a port of the range",
            arguments: ["127.0.0.1", "127.0.0.2", "::1"])
        func chosen(address: String) async throws {
            if address == "::1", await !Loopback.hasIPv6 { try Test.cancel("this machine has no ::1") }
            var options = LoopbackCall.Options()
            options.tuning.localAddresses = [address]
            options.tuning.localPorts = 41_100...41_199
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForFrames(10)
                    try await end.waitForTone()
                    try await end.wait(for: .candidatesGathered(.complete))
                    for case .localCandidate(let candidate) in end.events where candidate != .endOfCandidates {
                        let words = candidate.candidate.components(of: " ")
                        #expect(words[4] == address)
                        #expect((41_100...41_199).contains(try #require(Int(words[5]))))
                    }
                    let used = await end.peer.statisticsReport().candidates
                    #expect(used.count == 2)
                    for candidate in used {
                        #expect(candidate.address == address && (41_100...41_199).contains(candidate.port))
                    }
                }
            }
        }

        @Test("With IPv4 and IPv6 addresses, either connects a call", arguments: ["127.0.0.1", "::1"])
        func bothFamilies(common: String) async throws {
            guard await Loopback.hasIPv6 else { try Test.cancel("this machine has no ::1") }
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.tuning.localAddresses = ["127.0.0.1", "::1"]
            options.configureCallee = { $0.tuning.localAddresses = [common] }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForTone() }
                let caller = call.caller.events.compactMap { event -> String? in
                    guard case .localCandidate(let candidate) = event, candidate != .endOfCandidates else { return nil }
                    return candidate.candidate.components(of: " ")[4]
                }
                #expect(Set(caller) == ["127.0.0.1", "::1"])
                let report = await call.caller.peer.statisticsReport()
                #expect(report.candidates.allSatisfy { $0.address == common })
            }
        }

        @Test(
            "A peer with only `.local` addresses, like a browser, is found by its connectivity checks",
            arguments: [true, false])
        func names(ofCaller: Bool) async throws {
            let passed = Shared<[IceCandidate]>([])
            var options = LoopbackCall.Options()
            let hide: @Sendable (IceCandidate) -> IceCandidate = { candidate in
                var words = candidate.candidate.components(of: " ")
                guard words.count > 4 else { return candidate }
                words[4] = "0b5c7a3e-2e9d-4f0a-9d3c-6a1f2b3c4d5e.local"
                let hidden = IceCandidate(mLine: candidate.mLine, candidate: words.joined(separator: " "))
                passed.update { $0.append(hidden) }
                return hidden
            }
            if ofCaller { options.rewriteCandidate = hide }
            options.rewriteCalleeCandidate = ofCaller ? { $0 } : hide
            try await withCall(options) { call in
                try await call.connect()
                let (hidden, other) = ofCaller ? (call.caller, call.callee) : (call.callee, call.caller)
                for end in call.ends {
                    try await end.waitForFrames(10)
                    try await end.waitForTone()
                }
                #expect(!passed.value.isEmpty)
                #expect(await other.peer.statistics().transport.selectedPair?.remote.type == .peerReflexive)
                #expect(await hidden.peer.statistics().transport.selectedPair?.remote.type == .host)
            }
        }
    }
}
