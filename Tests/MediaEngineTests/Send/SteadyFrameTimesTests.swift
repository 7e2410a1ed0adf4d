import Foundation
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Frames for an encoder behind a gap") struct SteadyFrameTimesTests {
        @Test("A source that stayed open during another one continues at once")
        func formerSource() async throws {
            let engine = try await TestEngine.shared()
            var options = LoopbackCall.Options()
            options.callerVideo = VideoSource(name: "busy", format: VideoFormat(width: 320, height: 180))
            options.configure = { $0.tracks[.video]?.sharesEncoder = false }
            // It is open for some seconds before the other one.
            let former = try engine.capture(options.callerVideo)
            let monitor = try CaptureMonitor(former)
            try await monitor.start()
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForFrames(90)
                let video = try #require(await call.caller.peer.media?.sending[.video])
                try await video.change(to: engine.capture(.test(.ball, format: VideoFormat(width: 320, height: 180))))
                try await call.callee.waitForMoreFrames(30)
                try await video.change(to: former)
                try await call.callee.waitForMoreFrames(60)
                let received = try await call.callee.received(.video)
                #expect(try #require(received.quality).longestFreezeMs < 1_000)
            }
            await monitor.stop()
        }

        @Test(
            "Frames behind a gap are no larger than others, and have the times of their capture",
            arguments: [Codec.vp8, .vp9])
        func gap(codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.videoCodecs = [codec]
            options.callerVideo = VideoSource(name: "busy", format: VideoFormat(width: 320, height: 180))
            options.configure = {
                $0.tracks[.video]?.bitrateKbit = 400
                $0.tracks[.video]?.sharesEncoder = false
            }
            try await withCall(options) { call in
                try await call.connect()
                let bin = try #require(await call.caller.peer.media?.pipeline.bin)
                let payloader = try #require(bin.child(madeBy: codec == .vp8 ? "rtpvp8pay" : "rtpvp9pay"))
                let sizes = Shared<[Int]>([])
                let isBlocked = Shared(false)
                let lateness = Shared<[Int]>([])
                try payloader.pad("sink").observe { buffer, pad in
                    let late = Int(Pipeline.now) - Int(pad.runningTime(of: buffer) ?? 0)
                    lateness.update { $0.append(late) }
                    if buffer.isDelta { sizes.update { $0.append(buffer.byteCount) } }
                    // As a full path does (`Pacer`).
                    if isBlocked.value { Thread.sleep(forTimeInterval: 0.6) }
                    isBlocked.set(false)
                }
                /// The mean size of the next frames.
                func mean(_ count: Int) async throws -> Double {
                    sizes.set([])
                    try await eventually("\(count) frames") { sizes.value.count >= count }
                    return Double(sizes.value.prefix(count).reduce(0, +)) / Double(count)
                }
                _ = try await mean(60)
                let usual = try await mean(30)
                isBlocked.set(true)
                try await eventually("a gap") { !isBlocked.value }
                let behind = try await mean(10)
                #expect(behind < 1.8 * usual, "\(behind) and \(usual) bytes")
                #expect(try #require(await call.caller.sent(.video).framesDropped) >= 10)
                lateness.set([])
                try await eventually("frames") { lateness.value.count >= 20 }
                #expect(lateness.value.allSatisfy { (-1_000_000...500_000_000).contains($0) }, "\(lateness.value)")
            }
        }
    }
}
