import Foundation
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Streams that a peer invents") struct StreamLimitTests {
        /// Rewrites the SSRC of each audio packet; `next` gets the number of the packet.
        private func rewriteAudio(of end: CallEnd, _ next: @escaping @Sendable (Int) -> UInt32?) async throws -> Shared<
            Int
        > {
            let count = Shared(0)
            let pad = try #require(await end.peer.media?.sending[.audio]?.webrtcSink)
            pad.edit { bytes, _ in
                count.update { $0 += 1 }
                guard bytes.count >= 12, let ssrc = next(count.value) else { return }
                bytes.storeBytes(of: ssrc.bigEndian, toByteOffset: 8, as: UInt32.self)
            }
            return count
        }

        @Test("Only a limited number is received, and everything else continues")
        func limit() async throws {
            try await withCall { call in
                try await call.connect()
                try await call.callee.waitForTone()
                let sent = try await rewriteAudio(of: call.caller) { UInt32(0x1000 + $0) }
                try await eventually("more streams than are received") { sent.value > PeerPipeline.maximumStreams * 2 }
                let watch = try #require(await call.callee.peer.media?.peer.jitterBuffers)
                try await eventually("as many as may be") { watch.streams == PeerPipeline.maximumStreams }
                try await call.callee.waitForMoreFrames(30)
                try await call.caller.waitForMoreFrames(30)
                #expect(watch.streams == PeerPipeline.maximumStreams)
                #expect(call.ends.allSatisfy { $0.failure == nil })
            }
        }

        @Test("Two audio streams in turn end nothing, and the newer one is played")
        func turns() async throws {
            try await withCall { call in
                try await call.connect()
                try await call.callee.waitForTone()
                let sent = try await rewriteAudio(of: call.caller) { $0 > 100 || $0 % 2 == 0 ? 0x2000 : nil }
                try await eventually("the second stream alone") { sent.value > 150 }
                let heard = try await DecodedWatch(call.callee, .audio)
                #expect(try await abs(heard.steadyTone() - 440) < 5)
                try await call.callee.waitForMoreFrames(30)
                #expect(call.ends.allSatisfy { $0.failure == nil })
            }
        }
    }
}
