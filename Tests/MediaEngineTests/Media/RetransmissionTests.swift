import Testing

@testable import MediaEngine

@Suite("Retransmission: timing and budget") struct RetransmissionRuleTests {
    @Test(
        "A gap stays open for five round trips, within limits, and requests follow each other within one",
        arguments: [
            (nil, 600, 50), (0.4, 400, 20), (30, 400, 25), (80, 600, 50), (200, 1_000, 110), (900, 1_100, 460),
            (5_000, 2_200, 1_010),
        ]
            as [(Double?, Int, Int)])
    func timing(roundTripMs: Double?, waitMs: Int, retryMs: Int) {
        let timing = RetransmissionTiming(roundTripMs: roundTripMs)
        #expect(timing.waitMs == waitMs)
        #expect(timing.retryMs == retryMs)
    }

    private let start = ClockReading.now

    @Test("A peer that asks for everything again and again gets half of the traffic once more, after a burst")
    func budget() {
        var budget = RetransmissionBudget()
        func earn(_ count: Int, isCongested: Bool = false) {
            for _ in 0..<count { budget.earn(1_200, isCongested: isCongested, at: start) }
        }
        func use(_ most: Int = .max) -> Int {
            var sent = 0
            while sent < most, budget.admits(at: start) { sent += 1 }
            return sent
        }
        var sent = 0
        for _ in 0..<1_000 {
            sent += use(5)
            earn(1)
        }
        earn(1)
        sent += use()
        #expect(sent == Int(RetransmissionBudget.burst + 1_000 * RetransmissionBudget.share))
        // It rests, and has its burst again, but no more than that.
        earn(10_000)
        #expect(use() == Int(RetransmissionBudget.burst))
        // On a full path only a few packets are repeated, and no burst waits for its end.
        earn(10_000)
        earn(100, isCongested: true)
        #expect(use() <= 2)
    }

    @Test("On a narrow path packets are repeated as far as the video leaves room, in no burst")
    func room() {
        var budget = RetransmissionBudget()
        budget.rate = 1_000_000
        // Each takes 7.7 ms of 1.3 Mbit/s, until 100 ms are full.
        let burst = (0..<100).count { _ in budget.admits(at: start) }
        #expect((13...14).contains(burst))
        // A second of video that uses all of it.
        var repeated = 0
        for frame in 1...30 {
            let now = start + .seconds(Double(frame) / 30)
            budget.earn(4_166, isCongested: false, at: now)
            while budget.admits(at: now) { repeated += 1 }
        }
        #expect((25...35).contains(repeated), "\(repeated): 300 kbit")
        // A key frame goes first.
        for _ in 0..<50 { budget.earn(1_200, isCongested: false, at: start + .seconds(2)) }
        #expect(!budget.hasRoom(at: start + .milliseconds(2_140)) && budget.hasRoom(at: start + .milliseconds(2_160)))
        budget.rate = nil
        #expect(budget.hasRoom(at: start + .seconds(2)))
        // What was sent at the lowest rate does not count when the path is back.
        budget.rate = 600
        budget.earn(1_200, isCongested: false, at: start + .seconds(3))
        budget.rate = 1_000_000
        #expect(budget.hasRoom(at: start + .milliseconds(3_160)))
    }

    @Test("A packet is repeated once in a round trip, however often it is requested, and old ones are forgotten")
    func answeredRequests() {
        var answered = AnsweredRequests()
        answered.interval = .milliseconds(80)
        let answers = (0..<10).map { answered.admits(7, of: 1, at: start + .milliseconds($0 * 30)) }
        #expect(answers == [true, false, false, true, false, false, true, false, false, true])
        answered.interval = .seconds(3_600)
        let refused = (8...200_000).count {
            !answered.admits(UInt16(truncatingIfNeeded: $0), of: 1, at: start + .seconds(1))
        }
        #expect(refused == 0)
        #expect(answered.count <= 2 * AnsweredRequests.maximum)
        let latest = answered.admits(UInt16(truncatingIfNeeded: 200_000), of: 1, at: start + .seconds(2))
        #expect(!latest)
    }
}

extension RealPipelines {
    @Suite("Retransmission") struct RetransmissionTests {
        private static let numbered = VideoSource(
            name: "clock", choice: "ball", format: VideoFormat(width: 320, height: 180))

        private func options(_ codecs: [Codec] = [.vp8]) -> LoopbackCall.Options {
            var options = LoopbackCall.Options()
            options.videoCodecs = codecs
            (options.callerVideo, options.calleeVideo) = (Self.numbered, Self.numbered)
            return options
        }

        /// The lines of a description's video that concern retransmission.
        private func lines(_ description: SessionDescription) -> [Substring] {
            description.sdp.split(separator: "\r\n").filter { line in
                ["rtx/", "apt=", " nack", "FID"].contains { line.contains($0) }
            }
        }

        @Test(
            "Every tenth packet is lost on the way to either end, repeated ones too: every frame is decoded",
            arguments: [LoopbackCall.Side.caller, .callee], [Codec.vp8, .h264])
        func repaired(side: LoopbackCall.Side, codec: Codec) async throws {
            // The caller prefers another codec than the one that the callee has.
            var options = options([.vp8, codec])
            options.configureCallee = { $0.tracks[.video]?.codecs = [codec] }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForFrames(10) }
                let (end, sender) = side == .caller ? (call.caller, call.callee) : (call.callee, call.caller)
                let numbers = [codec.payloadType, try #require(codec.retransmissionPayloadType)]
                let before = await end.peer.statisticsReport()
                let loss = try await NetworkLoss(to: end, every: 10, of: Set(numbers))
                let log = try await ReceivedLog(end)
                try await eventually("120 frames") { log.frames.count >= 120 }
                #expect(loss.count >= 10)
                let frames = log.frames.compactMap(\.number)
                #expect(zip(frames, frames.dropFirst()).allSatisfy { $1 == $0 + 1 }, "\(frames)")
                let (received, sent) = (
                    await end.peer.statisticsReport(), await sender.peer.statisticsReport()
                )
                let into = try #require(received.inbound.first { $0.kind == "video" })
                let out = try #require(sent.outbound.first { $0.kind == "video" })
                #expect(
                    into.pliCount == before.inbound.first { $0.kind == "video" }?.pliCount, "no key frame was needed")
                #expect(into.packetsLost == 0)
                #expect(into.retransmittedPacketsReceived >= 10)
                #expect(out.retransmittedPacketsSent >= into.retransmittedPacketsReceived)
                #expect(out.nackCount > 0 && into.nackCount > 0)
            }
        }

        @Test("Lost audio is not requested again: it would come too late")
        func audio() async throws {
            try await withCall(options()) { call in
                try await call.connect()
                try await call.callee.waitForTone()
                let loss = try await NetworkLoss(to: call.callee, every: 10, of: [Codec.opus.payloadType])
                try await eventually("losses") { loss.count >= 10 }
                try await call.callee.waitForMoreFrames(10)
                let report = await call.callee.peer.statisticsReport()
                let into = try #require(report.inbound.first { $0.kind == "audio" })
                #expect(into.packetsLost >= 9)
                // One may be sent before the kind of the stream is known.
                #expect(into.nackCount <= 1 && into.retransmittedPacketsReceived == 0)
            }
        }

        @Test("An offer has a format of retransmissions for each codec, under the numbers that the user chose")
        func offer() async throws {
            var options = options([.vp8, .h264])
            options.configure = { $0.payloadTypes = [.init(rtpmap: "H264/90000", payloadType: 120)] }
            try await withCall(options) { call in
                let offer = try await call.caller.peer.createOffer()
                let lines = lines(offer)
                for line in [
                    "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96", "a=rtpmap:103 rtx/90000", "a=fmtp:103 apt=120",
                    "a=rtcp-fb:96 nack", "a=rtcp-fb:120 nack",
                ] { #expect(lines.contains(Substring(line)), "\(line) in \(lines)") }
                #expect(lines.count { $0.contains(" rtx/") } == 2)
                #expect(lines.count { $0.hasPrefix("a=ssrc-group:FID ") } == 1)
                let answer = try await call.callee.peer.createAnswer(to: offer)
                #expect(
                    self.lines(answer).filter { !$0.hasPrefix("a=ssrc-group") && !$0.contains("pli") } == [
                        "a=rtcp-fb:96 nack", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96",
                    ])
            }
        }

        @Test(
            "An end that retransmits nothing neither offers nor accepts it, and a loss costs a key frame",
            arguments: [true, false])
        func off(atCallee: Bool) async throws {
            var options = options()
            options.configure = { $0.tuning.retransmitsVideo = atCallee }
            options.configureCallee = { $0.tuning.retransmitsVideo = !atCallee }
            let answers = Shared<[SessionDescription]>([])
            options.rewrite = { description in
                answers.update { $0.append(description) }
                return description
            }
            try await withCall(options) { call in
                try await call.connect()
                let offered = lines(answers.value[0]).filter { !$0.contains("pli") }
                #expect(offered.isEmpty != atCallee)
                #expect(lines(answers.value[1]).filter { !$0.contains("pli") } == [])
                for end in call.ends { try await end.waitForFrames(10) }
                let loss = try await NetworkLoss(to: call.caller, every: 20, of: [96, 97])
                try await eventually("losses, and key frames after them") {
                    let into = await call.caller.peer.statisticsReport().inbound.first { $0.kind == "video" }
                    return loss.count >= 3 && into.map { $0.pliCount >= 1 && $0.packetsLost >= 1 } == true
                }
                loss.end()
                let into = await call.caller.peer.statisticsReport().inbound.first { $0.kind == "video" }
                #expect(into?.nackCount == 0 && into?.retransmittedPacketsReceived == 0)
                try await call.caller.waitForMoreFrames(30)
            }
        }
    }
}
