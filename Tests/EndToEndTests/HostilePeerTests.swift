import CallAgent
import Foundation
import Testing

extension EndToEnd {
    /// Peers that break the protocol.
    @Suite struct HostilePeerTests {
        @Test(
            "An unusable offer is rejected with 488, and the agent takes the next call",
            arguments: [
                "nonsense", "v=0\r\n",
                "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n",
            ])
        func malformedOffer(sdp: String) async throws {
            let board = InMemorySignaling()
            let pair = try await AgentPair(signaling: (board.transport(), board.transport()))
            let mallory = board.transport()
            try await mallory.connect(as: "mallory")
            let invite = SignalingMessage(
                id: "1", callId: "bad-call", from: "mallory", to: "bob", sentUnixMs: 0,
                body: .invite(.init(media: .audioVideo, ringTimeoutMs: 30_000, sdp: sdp)))
            try await mallory.send(invite.encoded(), to: "bob")
            var rejection: SignalingMessage.Farewell?
            for await event in mallory.events {
                guard case .received(let text) = event,
                    case .reject(let farewell) = try SignalingMessage(decoding: text).body
                else { continue }
                rejection = farewell
                break
            }
            #expect(rejection?.code == 488)
            try await expectWorkingCall(pair)
            await pair.close()
        }

        @Test(
            "An unusable answer, or one with a codec that was not offered, ends the call as incompatible at both ends",
            arguments: [
                ("a=rtcp-mux", "a=rtcp-mix", "rtcp-mux"), ("VP8", "AV1", "no video codec that was offered"),
                (":96 ", ":120 ", "no video codec that was offered"),
                ("OPUS", "L24", "no audio codec that was offered"),
            ], [EarlyMediaPolicy.guarded, .off])
        func unusableAnswer(change: (String, String, String), policy: EarlyMediaPolicy) async throws {
            let board = InMemorySignaling()
            let broken = TamperedSignaling(board.transport()) {
                $0.replacingOccurrences(of: change.0, with: change.1, options: .caseInsensitive)
            }
            let pair = try await AgentPair(signaling: (board.transport(), broken), earlyMedia: policy)
            let (mine, theirs) = try await pair.ring()
            if policy == .off { try await theirs.accept() }
            let end = await mine.waitUntilEnded()
            #expect(end.reason == .incompatibleMedia && end.code == 488)
            #expect(end.text.contains(change.2), "\(end.text)")
            #expect(await theirs.waitUntilEnded().reason == .incompatibleMedia)
            await pair.close()
        }

        @Test("An unusable offer gets a reject, not a hangup, from a callee that accepts at once")
        func unusableOfferAcceptedAtOnce() async throws {
            let board = InMemorySignaling()
            let pair = try await AgentPair(signaling: (board.transport(), board.transport()))
            let accepting = Task { for await call in pair.callee.incomingCalls { try? await call.accept() } }
            let mallory = board.transport()
            try await mallory.connect(as: "mallory")
            let sdp = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n"
            for number in 0..<20 {
                let invite = SignalingMessage(
                    id: "a1", callId: "bad-\(number)", from: "mallory", to: "bob", sentUnixMs: 0,
                    body: .invite(.init(media: .audioVideo, ringTimeoutMs: 30_000, sdp: sdp)))
                try await mallory.send(invite.encoded(), to: "bob")
                var farewell: SignalingMessage.Body?
                for await event in mallory.events {
                    guard case .received(let text) = event else { continue }
                    let message = try SignalingMessage(decoding: text)
                    switch message.body {
                    case .reject, .hangup, .cancel: farewell = message.body
                    default: continue
                    }
                    break
                }
                guard case .reject(let rejection) = farewell else {
                    Issue.record("\(String(describing: farewell))")
                    break
                }
                #expect(rejection.code == 488 && rejection.text.contains("a=mid"), "\(rejection)")
            }
            let mine = try await pair.caller.call("bob")
            try await eventually("the callee is seen") {
                await mine.report().statistics.video?.received.shown ?? 0 >= 10
            }
            await mine.hangUp()
            await pair.close()
            await accepting.value
        }

        @Test("Malformed messages are dropped or answered with an error, and calls still work")
        func malformedMessages() async throws {
            let board = InMemorySignaling()
            let pair = try await AgentPair(signaling: (board.transport(), board.transport()))
            let mallory = board.transport()
            try await mallory.connect(as: "mallory")
            for text in [
                "", "{", "[]", "null", "\u{0}", String(repeating: "[", count: 513),
                String(repeating: "x", count: 70_000),
                #"{"v":1,"type":"hangup"}"#, #"{"v":1e400,"type":"invite"}"#,
            ] {
                try await mallory.send(text, to: "bob")
            }
            let unknown = #"{"v":7,"type":"invite","id":"1","callId":"c","from":"mallory","to":"bob"}"#
            try await mallory.send(unknown, to: "bob")
            var answer: SignalingMessage.Fault?
            for await event in mallory.events {
                guard case .received(let text) = event,
                    case .error(let fault) = try SignalingMessage(decoding: text).body
                else { continue }
                answer = fault
                break
            }
            #expect(answer?.code == 426)
            try await expectWorkingCall(pair)
            await pair.close()
        }

        @Test("Invalid candidates and too many candidates do not end a call")
        func malformedCandidates() async throws {
            let board = InMemorySignaling()
            let flooding = TamperedSignaling(board.transport()) {
                $0.replacingOccurrences(of: "candidate:", with: "candidate:\\u0000")
            }
            // Bob's candidates are invalid. Alice's are valid, and her connectivity check gives her bob's address.
            let pair = try await AgentPair(signaling: (board.transport(), flooding))
            try await expectWorkingCall(pair)
            await pair.close()
        }

        private func expectWorkingCall(_ pair: AgentPair) async throws {
            let mine = try await pair.caller.call("bob")
            for await theirs in pair.callee.incomingCalls where theirs.id == mine.id {
                try await theirs.accept()
                try await eventually("both see each other") {
                    let here = await mine.report().statistics.video?.received.shown ?? 0
                    let there = await theirs.report().statistics.video?.received.shown ?? 0
                    return here >= 10 && there >= 10
                }
                break
            }
            await mine.hangUp()
            #expect(await mine.waitUntilEnded().reason == .localHangup)
        }
    }
}
