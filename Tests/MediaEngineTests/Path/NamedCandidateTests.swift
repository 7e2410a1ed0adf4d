import Foundation
import LocalNetwork
import Testing

@testable import MediaEngine

/// Candidates with a name instead of an address, as browsers send them.
extension RealPipelines {
    @Suite("Candidates with names") struct NamedCandidateTests {
        private static let name = "0b5c7a3e-2e9d.local"
        private static let hidden = IceCandidate(
            mLine: 0, candidate: "candidate:9 1 UDP 2113937151 \(name) 51472 typ host")

        @Test("They are passed over, and the call connects with the others")
        func passedOver() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            try await withCall(options) { call in
                try await call.callee.peer.addCandidate(Self.hidden)
                try await call.connect()
                try await call.caller.peer.addCandidate(Self.hidden)
                try await call.callee.waitForTone()
                for end in call.ends { #expect(await end.peer.namedCandidates.nameCount == 0) }
            }
        }

        /// The caller can only reach the callee by the name: the callee gets no candidates at all.
        @Test("With multicast DNS the name is looked up, and is enough for a call", arguments: [false, true])
        func lookedUp(inDescription: Bool) async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            let (lookups, hasEnd) = (Shared<[String]>([]), Shared(inDescription))
            options.configure = { configuration in
                configuration.looksUpMulticastNames = true
                configuration.lookUpName = { name in
                    lookups.update { $0.append(name) }
                    // The end of the candidates does not overtake the name.
                    try? await eventually("the end of the callee's candidates") { hasEnd.value }
                    return ["127.0.0.1"]
                }
            }
            if inDescription {
                options.configureCallee = { $0.candidateDelivery = .inDescription(timeoutMs: 0) }
            }
            options.rewriteCandidate = { _ in nil }
            options.rewriteCalleeCandidate = { candidate in
                if candidate.isEnd { hasEnd.update { $0 = true } }
                return candidate.isEnd ? candidate : candidate.replacingAddress(with: Self.name)
            }
            options.rewrite = { description in
                let named = description.sdp.replacing(/(a=candidate:\S+ 1 \S+ \d+) \S+/) {
                    "\($0.output.1) \(Self.name)"
                }
                return SessionDescription(kind: description.kind, sdp: named)
            }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForTone() }
                #expect(lookups.value == [Self.name])
            }
        }

        @Test("A name without an address does no harm")
        func unknown() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.configure = { configuration in
                configuration.looksUpMulticastNames = true
                configuration.lookUpName = { _ in [] }
            }
            try await withCall(options) { call in
                for end in call.ends { try await end.peer.addCandidate(Self.hidden) }
                try await call.connect()
                for end in call.ends { try await end.waitForTone() }
            }
        }

        @Test("No name is looked up if only relay candidates may be used")
        func relayOnly() async throws {
            for (policy, count) in [(IceTransportPolicy.relay, 0), (.all, 1)] {
                var configuration = PeerConnectionConfiguration(
                    label: "test", tracks: [.audio: TrackConfiguration(receiving: .audio)])
                configuration.looksUpMulticastNames = true
                configuration.iceTransportPolicy = policy
                configuration.lookUpName = { _ in [] }
                let peer = try await TestEngine.shared().makePeerConnection(configuration)
                try await peer.addCandidate(Self.hidden)
                #expect(await peer.namedCandidates.nameCount == count)
                await peer.close()
            }
        }

        @Test("Of one peer 16 names are looked up, each once")
        func limit() async throws {
            var named = NamedCandidates()
            var found = 0
            for number in 1...20 {
                for _ in 1...2 {
                    let candidate = Self.hidden.replacingAddress(with: "n\(number).LOCAL")
                    let lookup = named.lookUp(candidate) { [$0 == "n\(number).local" ? "192.0.2.\(number)" : "x"] }
                    guard let lookup else { continue }
                    #expect(await lookup.value == Self.hidden.replacingAddress(with: "192.0.2.\(number)"))
                    found += 1
                }
            }
            #expect(found == 32)
            #expect(named.nameCount == NamedCandidates.maximumNames)
        }

        @Test("The end of the candidates waits for all names")
        func end() {
            var named = NamedCandidates()
            let holdsWithoutNames = named.holdEnd()
            for _ in 1...2 { _ = named.lookUp(Self.hidden, { _ in [] }) }
            let results = [named.holdEnd(), named.finishOne(), named.finishOne(), named.holdEnd()]
            #expect(!holdsWithoutNames)
            #expect(results == [true, false, true, false])
        }

        @Test(
            "Only one label and .local is a name for multicast DNS",
            arguments: [
                ("a.local", true), ("A-1.LOCAL", true), ("a.b.local", false), ("local", false), (".local", false),
                ("a.local.", false), ("example.org", false), ("192.0.2.1", false), ("2001:db8::1", false),
            ])
        func names(address: String, isName: Bool) {
            let candidate = Self.hidden.replacingAddress(with: address)
            #expect((candidate.multicastName != nil) == isName)
        }

        @Test("The first IPv6 address is used, else the first IPv4 one; a link-local one is not")
        func choice() {
            #expect(NamedCandidates.choice(of: ["192.0.2.1", "2001:db8::1", "2001:db8::2"]) == "2001:db8::1")
            #expect(
                NamedCandidates.choice(of: ["fe80::1", "FE80::1%eth0", "169.254.1.1", "192.0.2.1", "192.0.2.2"])
                    == "192.0.2.1")
            #expect(NamedCandidates.choice(of: ["fe80::1", "no address"]) == nil)
        }

        /// Neither is looked up on a network.
        @Test("The system's resolver knows this machine, and no interface that is not there")
        func system() async {
            #expect(await NameLookup.addresses(of: "localhost").contains { ["127.0.0.1", "::1"].contains($0) })
            #expect(await NameLookup.addresses(of: "fe80::1%nowhere") == [])
        }
    }
}
