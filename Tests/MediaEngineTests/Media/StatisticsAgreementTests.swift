import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The reports of both ends agree") struct StatisticsAgreementTests {
        private func entry(_ end: CallEnd, _ kind: String) async throws -> StatisticsReport.InboundRtp {
            try #require(await end.peer.statisticsReport().inbound.first { $0.kind == kind })
        }

        @Test("What one end sent is what the other received, once nothing is in flight")
        func agreement() async throws {
            var options = LoopbackCall.Options()
            // Noise, so that each frame takes several packets.
            options.callerVideo = .test(.snow, format: VideoFormat(width: 320, height: 180))
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForFrames(40)
                    try await end.waitForTone()
                }
                for end in call.ends { await end.send(.closed) }
                for (from, to) in [(call.caller, call.callee), (call.callee, call.caller)] {
                    var (sent, received) = (StatisticsReport(), StatisticsReport())
                    try await eventually("the last packets, decoded: \(sent) and \(received)") {
                        (sent, received) = (await from.peer.statisticsReport(), await to.peer.statisticsReport())
                        return sent.transport?.bytesSent == received.transport?.bytesReceived
                            && sent.outbound.allSatisfy { out in
                                received.inbound.contains {
                                    $0.ssrc == out.ssrc && $0.packetsReceived == out.packetsSent
                                        && $0.bytesReceived == out.bytesSent
                                        && $0.jitterBufferEmittedCount == out.packetsSent
                                        && (out.framesSent == nil || $0.framesDecoded == out.framesSent)
                                }
                            }
                    }
                    for out in sent.outbound {
                        let into = try #require(received.inbound.first { $0.ssrc == out.ssrc })
                        #expect(into.kind == out.kind && into.packetsLost == 0 && into.packetsDiscarded == 0)
                        #expect(into.frameWidth == out.frameWidth && into.frameHeight == out.frameHeight)
                    }
                    // The local candidate of one end is the remote candidate of the other.
                    let (mine, theirs) = (sent.candidates, received.candidates)
                    try #require(mine.count == 2 && theirs.count == 2)
                    #expect(mine[0].port == theirs[1].port && mine[1].port == theirs[0].port)
                }
            }
        }

        @Test("A pause in the video counts as one freeze of the same length")
        func freeze() async throws {
            try await withCall { call in
                try await call.connect()
                try await call.callee.waitForFrames(60)
                let before = try await entry(call.callee, "video")
                let begin = ContinuousClock.now
                await call.caller.peer.setSending(.closed, of: .video)
                // The audio continues and measures the time.
                let heard = try await call.callee.received(.audio).decoded
                try await call.callee.wait("1.2 s of audio") { $0.received[.audio]?.decoded ?? 0 > heard + 57_600 }
                await call.caller.peer.setSending(.live, of: .video)
                try await eventually("the end of the freeze") {
                    try await entry(call.callee, "video").freezeCount ?? 0 > before.freezeCount ?? 0
                }
                let gap = (ContinuousClock.now - begin) / .seconds(1)
                let after = try await entry(call.callee, "video")
                let frozen = (after.totalFreezesDuration ?? 0) - (before.totalFreezesDuration ?? 0)
                #expect(frozen > 0.9 && frozen < gap + 0.3, "\(frozen) s of \(gap)")
                try await call.callee.waitForMoreFrames(60)
                let delta = await call.callee.peer.statisticsReport().delta(from: StatisticsReport())
                #expect(delta.inbound.compactMap(\.freezeCount).max() ?? 0 >= 1)
            }
        }

        @Test("The audio level is that of the tone, or none in silence, and the energy grows with time")
        func level() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            try await withCall(options) { call in
                try await call.connect()
                // A sine at half of full scale.
                let expected = 0.5 / 2.0.squareRoot()
                try await eventually("the level of the tone") {
                    let level = await call.callee.peer.statisticsReport().inbound.first?.audioLevel
                    return abs((level ?? 0) - expected) < 0.01
                }
                let first = await call.callee.peer.statisticsReport()
                try await eventually("a second of tone") {
                    let heard = await call.callee.peer.statisticsReport().inbound.first?.totalSamplesDuration ?? 0
                    return heard > (first.inbound.first?.totalSamplesDuration ?? 0) + 1
                }
                let delta = await call.callee.peer.statisticsReport().delta(from: first)
                #expect(try abs(#require(delta.inbound.first?.audioLevel) - expected) < 0.01)
                await call.caller.peer.setSending(.blank, of: .audio)
                try await eventually("silence") {
                    await call.callee.peer.statisticsReport().inbound.first?.audioLevel ?? 1 < 0.001
                }
            }
        }

        @Test(
            "Rates between two reports match the source, and packets in order do not wait"
        )
        func rates() async throws {
            var options = LoopbackCall.Options()
            options.configureCallee = { $0.tuning.jitterBufferMs = 80 }
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForFrames(60)
                let first = await call.callee.peer.statisticsReport()
                try await call.callee.waitForMoreFrames(90)
                let delta = await call.callee.peer.statisticsReport().delta(from: first)
                let video = try #require(delta.inbound.first { $0.kind == "video" })
                // A busy machine drops frames, but adds none.
                #expect(video.framesPerSecond ?? 0 > 10 && video.framesPerSecond ?? 0 < 35, "\(video)")
                #expect(video.fractionLost == 0 && video.kbitPerSecond > 1)
                // Packets in order pass at once. The buffer waits only for a gap.
                #expect(video.jitterBufferMs ?? -1 >= 0 && video.jitterBufferMs ?? 99 < 80, "\(video)")
                let audio = try #require(delta.inbound.first { $0.kind == "audio" })
                let packets = Double(audio.packetsReceived) / delta.seconds
                #expect(packets > 25 && packets < 60, "\(audio)")
            }
        }

        @Test("The sender keeps to the receiver's bitrate limit, and the other direction has none")
        func limit() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            // On a busy machine even loopback may look slow.
            options.tuning.followsBandwidth = false
            // Noise uses the whole bitrate.
            options.callerVideo = .test(.snow, format: VideoFormat(width: 160, height: 90))
            options.calleeVideo = options.callerVideo
            options.configureCallee = { $0.tracks[.video]?.maxReceiveKbit = 300 }
            try await withCall(options) { call in
                try await call.connect()
                // The rate control needs the first frames to find the rate.
                for end in call.ends { try await end.waitForFrames(90) }
                let first = (await call.caller.peer.statisticsReport(), await call.callee.peer.statisticsReport())
                try await call.ends.waitForMoreFrames(90)
                let bounded = await call.callee.peer.statisticsReport().delta(from: first.1)
                let free = await call.caller.peer.statisticsReport().delta(from: first.0)
                let rates = (
                    try #require(bounded.inbound.first).kbitPerSecond, try #require(free.inbound.first).kbitPerSecond
                )
                #expect(rates.0 < 450 && rates.0 < 0.7 * rates.1, "\(rates)")
                for end in call.ends { #expect(try await end.received(.video).aboveMaxRateMs == 0) }
                #expect(await call.caller.peer.statisticsReport().outbound.first?.targetBitrate == 300_000)
            }
        }
    }
}
