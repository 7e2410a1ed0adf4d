import Foundation
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Smaller and fewer frames") struct VideoScalerTests {
        @Test("The peer gets smaller frames, and large ones again, at any rate", arguments: [Codec.vp8, .h264])
        func steps(codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.videoCodecs = [codec]
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                let video = try #require(await call.caller.peer.media?.sending[.video])
                #expect(video.rate?.capture == .init(width: 320, height: 180, rate: 30))
                for (step, size) in [
                    (VideoLadder.Step(scale: 0.5), (160, 90)), (.init(scale: 0.5, every: 2), (160, 90)),
                    (.init(every: 3), (320, 180)), (.init(), (320, 180)),
                ] {
                    video.rate?.scale(to: step)
                    try await eventually("\(size) of \(step)") {
                        let last = call.callee.events.last {
                            if case .frameSizeReceived = $0 { true } else { false }
                        }
                        return last == .frameSizeReceived(width: size.0, height: size.1)
                    }
                    try await call.callee.waitForMoreFrames(20)
                    let sent = try #require(await call.caller.peer.statistics().sent[.video])
                    #expect(sent.width == size.0 && sent.height == size.1)
                }
            }
        }

        @Test("No frame is sent during a pause; when it ends early, they move on at once")
        func pause() async throws {
            var options = LoopbackCall.Options()
            options.configure = {
                $0.tracks[.video]?.sharesEncoder = false
                // Nothing else is to pause the video, or to end a pause.
                $0.tuning.followsBandwidth = false
            }
            try await withCall(options) { call in
                try await call.connect()
                let video = try #require(await call.caller.peer.media?.sending[.video]?.rate)
                try await call.callee.waitForFrames(5)
                let sent = Shared(0)
                let scaler = try #require(await call.caller.peer.media?.pipeline.bin.child(madeBy: "videoscale"))
                try scaler.pad("src").probe { _ in
                    sent.update { $0 += 1 }
                    return .pass
                }
                let captured = Shared(0)
                try #require(try scaler.pad("sink").peer).probe { _ in
                    captured.update { $0 += 1 }
                    return .pass
                }
                try await eventually("sent frames") { sent.value >= 5 }
                video.pause(for: .seconds(3_600))
                let pause = captured.value
                // One frame may be on its way.
                try await eventually("captured frames") { captured.value >= pause + 2 }
                let before = (sent.value, captured.value)
                try await eventually("captured frames") { captured.value >= before.1 + 10 }
                #expect(sent.value == before.0)
                video.pause(for: nil)
                try await call.callee.waitForMoreFrames(10)
                video.pause(for: .milliseconds(100))
                #expect(video.isPaused)
                try await call.callee.waitForMoreFrames(10)
                #expect(!video.isPaused, "it ends by itself")
            }
        }

        @Test("One of so many frames is sent")
        func fewer() async throws {
            try await withCall { call in
                try await call.connect()
                let video = try #require(await call.caller.peer.media?.sending[.video])
                try await call.callee.waitForFrames(5)
                video.rate?.scale(to: .init(every: 5))
                let sent = Shared(0)
                let scaler = try #require(await call.caller.peer.media?.pipeline.bin.child(madeBy: "videoscale"))
                try scaler.pad("src").probe { _ in
                    sent.update { $0 += 1 }
                    return .pass
                }
                let before = ContinuousClock.now
                try await eventually("frames") { sent.value >= 14 }
                // Six a second; a few may have been on their way.
                #expect(ContinuousClock.now - before > .seconds(1.4))
            }
        }

        @Test("A fifth of the frames get five times the bits", arguments: [Codec.vp8, .h264])
        func bits(codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.videoCodecs = [codec]
            options.callerVideo = VideoSource(name: "busy", format: VideoFormat(width: 320, height: 180))
            options.configure = { $0.tracks[.video]?.bitrateKbit = 200 }
            try await withCall(options) { call in
                try await call.connect()
                let media = try #require(await call.caller.peer.media)
                let payloader = try #require(
                    media.pipeline.bin.child(madeBy: codec == .vp8 ? "rtpvp8pay" : "rtph264pay"))
                let sizes = Shared<[Int]>([])
                try payloader.pad("sink").observe { buffer, _ in
                    if buffer.isDelta { sizes.update { $0.append(buffer.byteCount) } }
                }
                func mean(_ count: Int) async throws -> Double {
                    sizes.update { $0 = [] }
                    try await eventually("\(count) frames") { sizes.value.count >= count }
                    return Double(sizes.value.reduce(0, +)) / Double(sizes.value.count)
                }
                _ = try await mean(30)
                let all = try await mean(60)
                media.sending[.video]?.rate?.scale(to: .init(every: 5))
                _ = try await mean(10)
                let few = try await mean(15)
                #expect(2.5...8 ~= few / all, "\(few) and \(all) bytes")
            }
        }

        @Test("An encoder that is too slow gets smaller frames, and the call continues with all of them")
        func slowEncoder() async throws {
            var options = LoopbackCall.Options()
            options.configure = { $0.tracks[.video]?.sharesEncoder = false }
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                // The time of a frame depends on its size: 45 ms at first, and 10 with three quarters of its width and height.
                let encoder = try #require(await call.caller.peer.media?.pipeline.bin.child("encoder"))
                try encoder.pad("sink").observe { frame, _ in
                    Thread.sleep(forTimeInterval: frame.byteCount < 320 * 180 * 3 / 2 ? 0.01 : 0.045)
                }
                let adaptation = VideoAdaptation(
                    from: .init(width: 320, height: 180, rate: 30), to: .init(width: 240, height: 136, rate: 30),
                    reason: .cpu)
                try await call.caller.wait(for: .videoAdapted(adaptation), within: .seconds(30))
                let sent = try await call.caller.sent(.video)
                #expect(sent.isLimitedByCPU && !sent.isLimitedByBandwidth)
                try await call.callee.wait(for: .frameSizeReceived(width: 240, height: 136))
                // That is enough for 30 frames a second: hardly any is dropped from here on.
                try await call.callee.waitForMoreFrames(5)
                let dropped = try #require(await call.caller.sent(.video).framesDropped)
                try await call.callee.waitForMoreFrames(60)
                #expect(try #require(await call.caller.sent(.video).framesDropped) <= dropped + 6)
                let report = await call.caller.peer.statisticsReport()
                let outbound = try #require(report.outbound.first { $0.kind == "video" })
                #expect(outbound.qualityLimitationReason == "cpu")
                #expect(try #require(outbound.qualityLimitationDurations["cpu"]) > 0)
            }
        }

        @Test("A frame size that changes at the source is scaled, too")
        func otherSource() async throws {
            var options = LoopbackCall.Options()
            options.callerVideo = .test(.ball, format: VideoFormat(width: 640, height: 360))
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForFrames(5)
                let video = try #require(await call.caller.peer.media?.sending[.video])
                video.rate?.scale(to: .init(scale: 0.5))
                try await call.callee.wait(for: .frameSizeReceived(width: 320, height: 180))
                let engine = try await TestEngine.shared()
                try await video.change(to: engine.capture(.test(.ball, format: VideoFormat(width: 320, height: 240))))
                try await call.callee.wait(for: .frameSizeReceived(width: 160, height: 120))
                try await call.callee.waitForMoreFrames(10)
            }
        }
    }
}
