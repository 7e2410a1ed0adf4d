import Testing

@testable import MediaEngine

/// An RTCP packet with an estimate; `exponent` and `mantissa` are its bitrate.
private func packet(exponent: UInt8 = 0, mantissa: UInt32, sources: [UInt32], count: Int? = nil) -> [UInt8] {
    func bytes(_ word: UInt32) -> [UInt8] { (0..<4).map { UInt8(word >> (24 - 8 * $0) & 0xff) } }
    let rate = UInt32(count ?? sources.count) << 24 | UInt32(exponent) << 18 | mantissa
    return [0x8f, 206, 0, UInt8(4 + sources.count)] + bytes(7) + bytes(0) + Array("REMB".utf8) + bytes(rate)
        + sources.flatMap(bytes)
}

@Suite("What a receiver says that it takes") struct ReceiverEstimateTests {
    private func estimate(_ bytes: [UInt8]) -> ReceiverEstimate? {
        bytes.withUnsafeBytes { bytes in
            var packets = RtcpPackets(bytes)
            return packets.next().flatMap { ReceiverEstimate($0, in: bytes) }
        }
    }

    @Test(
        "The bitrate is mantissa and exponent, within what a path can take",
        arguments: [(0, 150_000, 150_000), (3, 100_000, 800_000), (63, 0x3_ffff, 1e10), (63, 0, 0)]
            as [(UInt8, UInt32, Double)])
    func bitrate(exponent: UInt8, mantissa: UInt32, expected: Double) throws {
        let read = try #require(estimate(packet(exponent: exponent, mantissa: mantissa, sources: [1, 2])))
        #expect(read.bitrate == expected && read.sources == [1, 2])
        #expect(read.concerns(2) && !read.concerns(3))
    }

    @Test("Without streams it concerns all of them")
    func all() throws {
        #expect(try #require(estimate(packet(mantissa: 1, sources: []))).concerns(5))
    }

    @Test(
        "What is written is read: large rates lose the bits that 18 do not hold",
        arguments: [0, 262_143, 1_000_001, 9e9])
    func written(bitrate: Double) throws {
        let written = ReceiverEstimate(bitrate: bitrate, sources: [5, .max])
        let read = try #require(estimate(written.bytes(from: 7)))
        #expect(read.sources == written.sources)
        #expect(read.bitrate <= bitrate && read.bitrate > bitrate * 0.9999 - 1)
        #expect(written.bytes(from: 7).count == 28)
    }

    @Test("Anything else is no estimate")
    func others() {
        var (name, kind, format) = (
            packet(mantissa: 1, sources: [1]), packet(mantissa: 1, sources: [1]), packet(mantissa: 1, sources: [1])
        )
        (name[12], kind[1], format[0]) = (0x72, 205, 0x81)
        for bytes in [name, kind, format] { #expect(estimate(bytes) == nil) }
        #expect(estimate(packet(mantissa: 1, sources: [1], count: 2)) == nil, "fewer streams than it says")
        let whole = packet(mantissa: 1, sources: [])
        for length in whole.indices {
            var short = Array(whole.prefix(length))
            if length > 3 { short[3] = UInt8(max(length / 4 - 1, 0)) }
            #expect(estimate(short) == nil, "\(length) bytes")
        }
    }
}

extension RealPipelines {
    @Suite("The rate of sent video follows what the peer says that it takes") struct ReceiverEstimateCallTests {
        private func options(reportsOnPackets: Bool = true) -> LoopbackCall.Options {
            var options = LoopbackCall.Options()
            let busy = VideoSource(name: "busy", format: VideoFormat(width: 320, height: 180))
            (options.callerVideo, options.calleeVideo) = (busy, busy)
            options.tuning.sendsTransportFeedback = reportsOnPackets
            return options
        }

        @Test("Less is sent, and everything again when the peer takes it", arguments: [true, false])
        func limit(reportsOnPackets: Bool) async throws {
            try await withCall(options(reportsOnPackets: reportsOnPackets)) { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                let peer = call.caller.peer
                let media = try #require(await peer.media)
                let ssrc = try #require(media.sending[.video]?.ssrc)
                func take(_ kbit: UInt32, _ sources: [UInt32]) {
                    packet(exponent: 10, mantissa: kbit, sources: sources).withUnsafeBytes {
                        media.peer.receptionReports.note($0)
                    }
                }
                func target() async -> Int {
                    await peer.statisticsReport().outbound.first { $0.kind == "video" }?.targetBitrate ?? 0
                }
                take(200, [ssrc &+ 1])
                #expect(await target() > 500_000, "another stream")
                take(200, [ssrc])
                try await eventually("less video") { (100_000...200_000).contains(await target()) }
                #expect(await peer.statistics().transport.availableOutgoingBitrate ?? 0 <= 204_800)
                let before = await call.callee.peer.statisticsReport()
                try await call.callee.waitForMoreFrames(30)
                let after = await call.callee.peer.statisticsReport()
                func bytes(_ report: StatisticsReport) -> Int {
                    report.inbound.first { $0.kind == "video" }?.bytesReceived ?? 0
                }
                // One second at most has 30 frames.
                #expect((bytes(after) - bytes(before)) * 8 < 400_000)
                // At once, and so too soon after the limit before it.
                take(300, [ssrc])
                take(5_000, [])
                try await eventually("all video", within: .seconds(40)) { await target() == 1_000_000 }
                // More is wanted than the peer takes.
                take(1_200, [ssrc])
                try await peer.setBitrate(3_000, of: .video)
                try await eventually("less video than wanted") { (1_000_000...1_300_000).contains(await target()) }
                take(0, [ssrc])
                try await eventually("all video again", within: .seconds(40)) { await target() == 3_000_000 }
                try await call.callee.waitForMoreFrames(30)
            }
        }

        @Test("The time of sending is offered, and asked for of a peer that takes estimates and no reports")
        func sendTime() async throws {
            func lines(_ description: SessionDescription) -> [String] {
                description.sdp.components(of: "\r\n").filter { $0.contains("abs-send-time") }
            }
            try await withCall(options()) { call in
                let offer = try await call.caller.peer.createOffer()
                #expect(lines(offer) == ["a=extmap:5 \(AbsoluteSendTime.extensionURI)"])
                #expect(lines(try await call.callee.peer.createAnswer(to: offer)).isEmpty)
            }
            for takesEstimates in [true, false] {
                try await withCall(options()) { call in
                    let offer = try await call.caller.peer.createOffer().sdp.replacing("transport-cc", by: "x")
                    let other = (takesEstimates ? offer : offer.replacing("goog-remb", by: "y"))
                        .replacing("a=extmap:5 ", by: "a=extmap:11 ")
                    let answer = try await call.callee.peer.createAnswer(
                        to: SessionDescription(kind: .offer, sdp: other))
                    #expect(lines(answer) == (takesEstimates ? ["a=extmap:11 \(AbsoluteSendTime.extensionURI)"] : []))
                }
            }
        }

        @Test("Estimates are offered for each video codec, and taken of whom offers them")
        func negotiation() async throws {
            var options = options()
            options.videoCodecs = [.vp8, .h264]
            func lines(_ description: SessionDescription) -> [String] {
                description.sdp.components(of: "\r\n").filter { $0.contains("goog-remb") }
            }
            try await withCall(options) { call in
                let offer = try await call.caller.peer.createOffer()
                #expect(lines(offer).sorted() == ["a=rtcp-fb:102 goog-remb", "a=rtcp-fb:96 goog-remb"])
                let answer = try await call.callee.peer.createAnswer(to: offer)
                #expect(lines(answer) == ["a=rtcp-fb:96 goog-remb"])
            }
            try await withCall(options) { call in
                let offer = try await call.caller.peer.createOffer()
                let without = SessionDescription(kind: .offer, sdp: offer.sdp.replacing("goog-remb", by: "x"))
                let answer = try await call.callee.peer.createAnswer(to: without)
                #expect(lines(answer).isEmpty)
            }
            options.tuning.followsBandwidth = false
            try await withCall(options) { call in
                let offer = try await call.caller.peer.createOffer()
                #expect(lines(offer).isEmpty)
            }
        }
    }
}
