import Dispatch
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The rate of sent video follows the path") struct BandwidthTests {
        private func options() -> LoopbackCall.Options {
            var options = LoopbackCall.Options()
            let busy = VideoSource(name: "busy", format: VideoFormat(width: 320, height: 180))
            (options.callerVideo, options.calleeVideo) = (busy, busy)
            options.configure = { $0.tracks[.video]?.bitrateKbit = 200 }
            return options
        }

        private func video(_ end: CallEnd) async throws -> StatisticsReport.OutboundRtp {
            try #require(await end.peer.statisticsReport().outbound.first { $0.kind == "video" })
        }

        private func received(_ end: CallEnd) async throws -> StatisticsReport.InboundRtp {
            try #require(await end.peer.statisticsReport().inbound.first { $0.kind == "video" })
        }

        private func available(_ end: CallEnd) async -> Double? {
            await end.peer.statistics().transport.availableOutgoingBitrate
        }

        @Test("Each end estimates by the other's reports; a path that takes everything limits nothing")
        func wide() async throws {
            try await withCall(options()) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForFrames(30)
                    try await eventually("an estimate") { await available(end) ?? 0 > 200_000 }
                    // A busy machine may look like a slow path for a moment.
                    try await eventually("no limit") {
                        let video = try await video(end)
                        return video.targetBitrate == 200_000 && video.qualityLimitationReason == "none"
                    }
                    #expect(try await video(end).qualityLimitationDurations["bandwidth"] ?? .infinity < 5)
                    let session = await end.peer.media?.peer.session?.object("internal-session")
                    #expect(session?.get("rtcp-reduced-size")?.boolValue == true)
                    let pair = try #require(await end.peer.statisticsReport().candidatePair)
                    #expect(pair.availableOutgoingBitrate ?? 0 > 200_000)
                }
            }
        }

        @Test("Half of the packets get lost: less is sent, and everything again when it is over")
        func loss() async throws {
            try await withCall(options()) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForFrames(10) }
                let loss = try await NetworkLoss(to: call.callee, every: 2, of: [96, 97])
                try await eventually("less video") {
                    let video = try await video(call.caller)
                    return video.targetBitrate < 190_000 && video.qualityLimitationReason == "bandwidth"
                }
                loss.end()
                try await eventually("all video", within: .seconds(40)) {
                    try await video(call.caller).targetBitrate == 200_000
                }
                #expect(try await video(call.caller).qualityLimitationDurations["bandwidth"] ?? 0 > 0)
                try await call.callee.waitForMoreFrames(30)
            }
        }

        @Test("A probe sends packets again that the peer has: it lacks none, and discards none")
        func probe() async throws {
            try await withCall(options()) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForFrames(10) }
                let from = try #require(await call.caller.peer.media?.peer)
                let receiver = try #require(await call.callee.peer.media?.peer.webrtc.child(madeBy: "rtprtxreceive"))
                let again = { receiver.get("num-rtx-assoc-packets")?.intValue ?? 0 }
                // The receiver knows whose packets are sent again once it has asked for one.
                let loss = try await NetworkLoss(to: call.callee, every: 10, of: [96])
                try await eventually("a repaired packet") {
                    try await received(call.callee).retransmittedPacketsReceived > 0
                }
                loss.end()
                try await call.callee.waitForMoreFrames(30)
                let (before, count) = (try await received(call.callee), again())
                let sender = ProbeSender(from.retransmitted, on: .global()) { [weak from] in
                    from?.retransmissionSender
                }
                // More than the peer could request at once.
                let train = BandwidthProbe.Train(rate: 5_000_000, packets: 150)
                let departures = Shared<[BandwidthProbe.Departure]>([])
                let repaired = from.retransmitted.count
                sender.send(train) { departure in departures.update { $0.append(departure) } }
                try await eventually("what was sent again") { again() >= count + 150 }
                #expect(from.retransmitted.count - repaired < 20)
                guard case .begun(let begin)? = departures.value.first, case .ended(let end)? = departures.value.last
                else {
                    Issue.record("not begun and ended: \(departures.value)")
                    return
                }
                #expect(0.01..<1 ~= end - begin)
                withExtendedLifetime(sender) {}
                try await call.callee.waitForMoreFrames(30)
                let after = try await received(call.callee)
                #expect(after.packetsLost == before.packetsLost && after.packetsDiscarded == before.packetsDiscarded)
                #expect(after.retransmittedPacketsReceived == before.retransmittedPacketsReceived)
            }
        }

        @Test("A link that becomes narrow, and wide again, is probed, and all is sent again")
        func wideAgain() async throws {
            var conditions = NetworkConditions()
            conditions.bitrate = 300_000
            // Where a full path loses packets before they wait long, nothing is probed.
            conditions.queueMs = 3_000
            let network = NetworkEmulator()
            var options = options()
            options.configure = {
                $0.tracks[.video]?.bitrateKbit = 800
                $0.network = network
            }
            // Only the caller's packets fill the link. Those of both ends fill the queue before a lower rate can show.
            options.configureCallee = { $0.network = nil }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForFrames(10) }
                let receiver = try #require(await call.callee.peer.media?.peer.webrtc.child(madeBy: "rtprtxreceive"))
                let repeated = { receiver.get("num-rtx-packets")?.intValue ?? 0 }
                network.conditions = conditions
                try await eventually("a lower estimate", within: .seconds(20)) {
                    await available(call.caller) ?? .infinity < 350_000
                }
                network.conditions = NetworkConditions()
                let before = (repeated(), try await video(call.caller).retransmittedPacketsSent)
                let growth = Shared<[String]>([])
                try await eventually("all video: \(growth.value)", within: .seconds(30)) {
                    let (sent, estimate) = (try await video(call.caller), await available(call.caller) ?? 0)
                    let now =
                        "\(Int(estimate / 1_000)) for \(sent.targetBitrate), \(sent.qualityLimitationReason)"
                    growth.update { if $0.last != now { $0.append(now) } }
                    return sent.targetBitrate == 800_000
                }
                // More than what the peer missed.
                let (probed, missed) = (
                    repeated() - before.0, try await video(call.caller).retransmittedPacketsSent - before.1
                )
                #expect(probed >= missed + 5)
                try await call.callee.waitForMoreFrames(30)
            }
        }

        @Test(
            "The peer's reports stay away: much less is sent, and everything again when it may have stopped to report")
        func silence() async throws {
            try await withCall(options()) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForFrames(10) }
                try await eventually("an estimate") { await available(call.caller) ?? 0 > 200_000 }
                let session = try #require(await call.caller.peer.media?.peer.session)
                try session.pad("recv_rtcp_sink").probe { _ in .drop }
                try await eventually("little video") { try await video(call.caller).targetBitrate == 50_000 }
                try await call.callee.waitForMoreFrames(10)
                try await eventually("all video", within: .seconds(30)) {
                    try await video(call.caller).targetBitrate == 200_000
                }
                try await call.callee.waitForMoreFrames(30)
            }
        }

        @Test("An end that does not follow the path numbers nothing; the other one's estimate needs only its reports")
        func off() async throws {
            var options = options()
            options.configureCallee = { $0.tuning.followsBandwidth = false }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForFrames(30) }
                try await eventually("an estimate") { await available(call.caller) != nil }
                try await call.caller.waitForMoreFrames(30)
                #expect(await available(call.callee) == nil)
            }
        }

        @Test("LostExtensionId: packets are numbered also when the caps that name the extension get lost")
        func lostCaps() async throws {
            var options = options()
            options.opensSendGates = false
            try await withCall(options) { call in
                try await call.connect()
                let refused = Shared(0)
                let webrtc = await call.caller.peer.media?.peer.webrtc
                try #require(webrtc?.child(madeBy: "rtpfunnel")).pad("src").refuseCaps { caps in
                    guard caps.fields?["extmap-\(TransportFeedback.offeredId)"] != nil else { return false }
                    refused.update { $0 += 1 }
                    return true
                }
                // Video alone: with audio, the funnel itself may lose them, and then there is nothing to refuse.
                for end in call.ends { await end.peer.setSending(.live, of: .video) }
                try await eventually("an estimate") { await available(call.caller) != nil }
                #expect(refused.value > 0)
                for end in call.ends { await end.peer.setSending(.live, of: .audio) }
                for end in call.ends { try await end.waitForFrames(30) }
            }
        }

        @Test("RTCP without reports is offered and accepted")
        func reducedSize() async throws {
            try await withCall(options()) { call in
                let offer = try await call.caller.peer.createOffer()
                let answer = try await call.callee.peer.createAnswer(to: offer)
                for description in [offer, answer] {
                    #expect(description.sdp.components(of: "\r\n").count { $0 == "a=rtcp-rsize" } == 2)
                }
                let full = SessionDescription(kind: .offer, sdp: offer.sdp.replacing("a=rtcp-rsize\r\n", by: ""))
                try await withCall(options()) { other in
                    let answer = try await other.callee.peer.createAnswer(to: full)
                    #expect(!answer.sdp.contains("a=rtcp-rsize"))
                }
            }
        }
    }
}
