import TestServers
import Testing

@testable import MediaEngine

extension RealPipelines {
    /// ``CandidateDelivery/inDescription(timeoutMs:)`` with servers that answer late; libnice gives up on a server after 2 s.
    @Suite("Candidates in the description") struct GatheringTests {
        /// An offer that contains all its candidates, and how the gathering ended.
        private func offer(
            _ urls: [String], timeoutMs: Int, meanwhile: @escaping @Sendable (CallEnd) async throws -> Void = { _ in }
        ) async throws -> (lines: [String], outcomes: [GatheringOutcome]) {
            let peer = try await TestEngine.peer(kinds: [.audio]) {
                $0.iceServers = [
                    StunTurnServer(urls: urls, username: TurnServer.username, credential: TurnServer.credential)
                ]
                $0.candidateDelivery = .inDescription(timeoutMs: timeoutMs)
            }
            let end = CallEnd(peer: peer)
            end.follow { _ in }
            async let description = inTime("the offer", within: .seconds(20)) { try await peer.createOffer() }
            try await meanwhile(end)
            let lines = try await description.sdp.components(of: "\r\n")
            try await eventually("the outcome") { !end.outcomes.isEmpty }
            await peer.close()
            return (lines, end.outcomes)
        }

        @Test("Without a timeout the offer waits for a slow server")
        func patient() async throws {
            let turn = try await TurnServer()
            let slow = try await HeldUDP(to: turn.port)
            let (lines, outcomes) = try await offer(["turn:127.0.0.1:\(slow.port)"], timeoutMs: 0) { end in
                // The server is asked but has not answered, so there is no offer yet.
                try await eventually("the server is asked") { slow.count > 0 }
                #expect(end.outcomes.isEmpty)
                slow.release()
            }
            #expect(outcomes == [.complete])
            #expect(lines.contains { $0.contains("typ relay") } && lines.contains("a=end-of-candidates"))
        }

        @Test("At half of the timeout one relay candidate is enough, even if another server has not answered")
        func oneRelay() async throws {
            let turn = try await TurnServer()
            let slow = try await HeldUDP(to: turn.port)
            let (lines, outcomes) = try await offer(
                ["turn:127.0.0.1:\(slow.port)", turn.url("udp")], timeoutMs: 2_000)
            #expect(outcomes == [.oneRelay])
            #expect(lines.contains { $0.contains("typ relay") } && lines.contains { $0.contains("typ host") })
            #expect(!lines.contains("a=end-of-candidates") && slow.count > 0)
        }

        @Test("At the timeout the offer is made without a relay candidate, and the call connects")
        func noRelay() async throws {
            let turn = try await TurnServer()
            let slow = try await HeldUDP(to: turn.port)
            var options = LoopbackCall.Options()
            options.rewriteCandidate = { _ in nil }
            let url = "turn:127.0.0.1:\(slow.port)"
            options.configure = {
                $0.iceServers = [
                    StunTurnServer(urls: [url], username: TurnServer.username, credential: TurnServer.credential)
                ]
                $0.candidateDelivery = .inDescription(timeoutMs: 1_000)
            }
            let texts = Shared<[String]>([])
            options.rewrite = { description in
                texts.update { $0.append(description.sdp) }
                return description
            }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForFrames(5)
                    try await end.waitForTone()
                    #expect(end.outcomes == [.noRelay])
                }
            }
            for text in texts.value {
                #expect(!text.contains("typ relay") && text.contains("typ host"))
                #expect(!text.contains("a=end-of-candidates"))
            }
        }

        @Test(
            "Gathering ends if the first m-line is not used, trickled or in the description",
            arguments: [CandidateDelivery.trickled, .inDescription(timeoutMs: 0)])
        func unusedFirst(delivery: CandidateDelivery) async throws {
            let peer = try await TestEngine.peer { $0.candidateDelivery = delivery }
            let end = CallEnd(peer: peer)
            end.follow { _ in }
            let offer = SessionDescription(kind: .offer, sdp: SDPSamples.safari)
            let answer = try await inTime("the answer") { try await peer.createAnswer(to: offer) }
            let sections = answer.sdp.components(of: "m=")
            #expect(sections[1].hasPrefix("application 0"))
            try await eventually("the outcome") { end.outcomes == [.complete] }
            if delivery == .trickled {
                #expect(end.count(.localCandidate(IceCandidate(mLine: 1, candidate: ""))) == 1)
            } else {
                #expect(sections[2].contains(" typ host") && sections[2].contains("a=end-of-candidates"))
            }
            await peer.close()
        }
    }
}

extension CallEnd {
    /// How the gathering of candidates ended.
    fileprivate var outcomes: [GatheringOutcome] {
        events.compactMap { if case .candidatesGathered(let outcome) = $0 { outcome } else { nil } }
    }
}
