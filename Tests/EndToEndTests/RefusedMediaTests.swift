import Foundation
import MediaEngine
import Testing

@testable import CallAgent

extension EndToEnd {
    /// Invites whose `media` and SDP differ.
    @Suite struct RefusedMediaTests {
        private static func invite(_ media: CallMedia, _ sdp: String) -> SignalingMessage {
            SignalingMessage(
                id: "a1", callId: "refused", from: "mallory", to: "bob", sentUnixMs: 0,
                body: .invite(.init(media: media, ringTimeoutMs: 30_000, sdp: sdp)))
        }

        private static func peer(_ kinds: Set<MediaKind>) async throws -> PeerConnection {
            let engine = try await Engine.start(logger: .quiet)
            var tracks: [TrackID: TrackConfiguration] = [:]
            if kinds.contains(.audio) {
                tracks[.audio] = TrackConfiguration(source: try engine.capture(AudioSource.tone(hertz: 700)))
            }
            if kinds.contains(.video) {
                tracks[.video] = TrackConfiguration(source: try engine.capture(VideoSource.test()))
            }
            var configuration = PeerConnectionConfiguration(label: "mallory", tracks: tracks)
            configuration.tuning = .loopback
            configuration.candidateDelivery = .inDescription(timeoutMs: 0)
            configuration.measurements = [.pitch]
            return engine.makePeerConnection(configuration)
        }

        @Test("Video in the SDP of an audio call is refused with port 0, and both hear each other")
        func videoThatIsNotMeant() async throws {
            let board = InMemorySignaling()
            let pair = try await AgentPair(signaling: (board.transport(), board.transport()))
            let mallory = board.transport()
            try await mallory.connect(as: "mallory")
            let peer = try await Self.peer([.audio, .video])
            let offer = try await peer.createOffer()
            try await mallory.send(Self.invite(.audioOnly, offer.sdp).encoded(), to: "bob")
            var incoming = pair.callee.incomingCalls.makeAsyncIterator()
            let call = try #require(await incoming.next())
            #expect(await call.media == .audioOnly)
            try await call.accept()
            // Bob sends his candidates after his answer.
            let reading = Task {
                for await event in mallory.events {
                    guard case .received(let text) = event, let message = try? SignalingMessage(decoding: text) else {
                        continue
                    }
                    switch message.body {
                    case .progress(let sdp, _), .accept(.some(let sdp), _):
                        try await peer.setAnswer(SessionDescription(kind: .answer, sdp: sdp))
                        for track in [TrackID.audio, .video] { await peer.setSending(.live, of: track) }
                        let lines = sdp.components(separatedBy: "\r\n").filter { $0.hasPrefix("m=") }
                        #expect(lines.map { $0.components(separatedBy: " ")[1] } == ["9", "0"], "\(lines)")
                    case .candidate(let one):
                        try await peer.addCandidate(IceCandidate(mLine: one.mLine, candidate: one.candidate))
                    default: break
                    }
                }
            }
            try await eventually("both hear each other") {
                let there = await call.report().statistics.audio?.received.toneHz ?? 0
                let here = await peer.statistics().received[.audio]?.toneHz ?? 0
                return abs(there - 700) < 10 && abs(here - 554) < 10
            }
            #expect(await call.state == .connected)
            #expect(await peer.statistics().sent[.video]?.frames == 0)
            await call.hangUp()
            reading.cancel()
            await peer.close()
            await pair.close()
        }

        @Test("A video call without video in its SDP is rejected at once")
        func videoThatCannotCome() async throws {
            let board = InMemorySignaling()
            let pair = try await AgentPair(signaling: (board.transport(), board.transport()))
            let mallory = board.transport()
            try await mallory.connect(as: "mallory")
            let peer = try await Self.peer([.audio])
            try await mallory.send(Self.invite(.audioVideo, try await peer.createOffer().sdp).encoded(), to: "bob")
            var rejection: SignalingMessage.Farewell?
            for await event in mallory.events {
                guard case .received(let text) = event,
                    case .reject(let farewell) = try SignalingMessage(decoding: text).body
                else { continue }
                rejection = farewell
                break
            }
            #expect(
                rejection?.code == 488 && rejection?.text == "the offer has no video in use, which its call is to have")
            await peer.close()
            await pair.close()
        }
    }
}
