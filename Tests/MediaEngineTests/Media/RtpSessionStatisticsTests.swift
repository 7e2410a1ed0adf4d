import Testing

@testable import MediaEngine

@Suite("Statistics of an RTP session") struct RtpSessionStatisticsTests {
    private func entry(
        _ ssrc: UInt64, sent: Bool = false, roundTrip: Double = 0, reported: UInt64 = 0
    ) -> [String: PropertyValue] {
        [
            "ssrc": .uint(ssrc), "internal": .bool(sent), "clock-rate": .int(48_000),
            "packets-sent": .uint(10), "octets-sent": .uint(1_000), "packets-received": .uint(20),
            "octets-received": .uint(2_000), "jitter": .uint(480),
            "sent-fir-count": .uint(1), "sent-pli-count": .uint(2), "sent-nack-count": .uint(3),
            "recv-fir-count": .uint(4), "recv-pli-count": .uint(5), "recv-nack-count": .uint(6),
            "have-rb": .bool(roundTrip > 0), "rb-round-trip": .uint(UInt64(roundTrip * 65_536)),
            "rb-lsr": .uint(reported),
        ]
    }

    @Test("A sent stream has what was sent and the peer's feedback, a received one the reverse")
    func directions() throws {
        let statistics = RtpSessionStatistics([entry(1, sent: true), entry(2), entry(3)])
        let (sent, received) = (try #require(statistics.sources[1]), try #require(statistics.sources[2]))
        #expect(sent.isSent && sent.packets == 10 && sent.bytes == 1_000 && sent.jitter == 0)
        #expect(sent.firs == 4 && sent.plis == 5 && sent.nacks == 6)
        #expect(!received.isSent && received.packets == 20 && received.bytes == 2_000 && received.jitter == 0.01)
        #expect(received.firs == 1 && received.plis == 2 && received.nacks == 3)
        #expect(statistics.bytesSent == 1_000 && statistics.bytesReceived == 4_000)
        #expect(statistics.roundTrip == nil)
    }

    @Test(
        "The round trip is that of the latest report, whichever stream it came with, also after its clock began anew",
        arguments: [100, 0xffff_ff00])
    func roundTrip(first: UInt64) {
        let old = entry(1, roundTrip: 0.25, reported: first)
        let new = entry(2, roundTrip: 0.125, reported: (first + 300) & 0xffff_ffff)
        let none = entry(3)
        #expect(RtpSessionStatistics([old, new, none]).roundTrip == 0.125)
        #expect(RtpSessionStatistics([new, none, old]).roundTrip == 0.125)
    }

    @Test("A stream that the session forgot keeps its figures, and goes on from there")
    func forgotten() {
        var totals = RtpStreamTotals()
        func packets(_ counts: [UInt64: UInt64]) -> [UInt32: Int] {
            let entries = counts.map { ssrc, count in
                entry(ssrc).merging(["packets-received": .uint(count)]) { $1 }
            }
            return totals.complete(RtpSessionStatistics(entries)).sources.mapValues(\.packets)
        }
        #expect(packets([1: 50, 2: 10]) == [1: 50, 2: 10])
        #expect(packets([2: 20]) == [1: 50, 2: 20])
        #expect(packets([1: 5, 2: 30]) == [1: 55, 2: 30])
        // Forgotten again, and back before anybody looked.
        #expect(packets([1: 3, 2: 31]) == [1: 58, 2: 31])
        #expect(packets([:]) == [1: 58, 2: 31])
        #expect(packets([:]) == [1: 58, 2: 31])
    }

    @Test("No more than 64 forgotten streams are kept")
    func manyStreams() {
        var totals = RtpStreamTotals()
        for ssrc in 1...200 as ClosedRange<UInt64> { _ = totals.complete(RtpSessionStatistics([entry(ssrc)])) }
        #expect(totals.complete(RtpSessionStatistics([])).sources.count == 64)
    }

    @Test("An entry without an SSRC is left out, numbers below 0 are 0")
    func unusable() {
        let statistics = RtpSessionStatistics([
            [:], ["ssrc": .int(-1)], ["ssrc": .uint(1 << 40)],
            ["ssrc": .uint(7), "packets-received": .int(-5), "clock-rate": .int(-1), "jitter": .uint(9)],
        ])
        #expect(statistics.sources == [7: .init()])
    }
}

extension RealPipelines {
    @Suite struct RtpSessionStatisticsTests {
        @Test("Several streams that enter one pad are all known")
        func versions() async throws {
            let source = "audiotestsrc is-live=true ! opusenc ! rtpopuspay pt=96"
            let caps = "application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,payload=96,ssrc=(uint)1"
            // A plain `funnel` would pass the caps to both payloaders, which would take this SSRC from them.
            let pad = "rtpfunnel name=both ! capssetter replace=true caps=\"\(caps)\""
            let caller = try RawPeer("\(pad) \(source) ssrc=1 ! both. \(source) ssrc=2 ! both.")
            let callee = try RawPeer(RawPeer.opus)
            try await RawPeer.negotiate(caller, callee)
            let session = try #require(caller.webrtc.child(madeBy: "rtpsession"))
            try await eventually("packets of both streams") {
                let sources = RtpSessionStatistics(session)?.sources ?? [:]
                return [UInt32(1), 2].allSatisfy {
                    guard let source = sources[$0] else { return false }
                    return source.isSent && source.packets > 10 && source.bytes > source.packets
                }
            }
        }

        @Test("Media stops until the session forgets a stream, and goes on: no figure falls")
        func forgotten() async throws {
            try await withCall { call in
                try await call.connect()
                let (sender, receiver) = (call.caller.peer, call.callee.peer)
                func packets() async -> [Int] {
                    await sender.statisticsReport().outbound.map(\.packetsSent)
                        + receiver.statisticsReport().inbound.map(\.packetsReceived)
                }
                try await eventually("packets of both streams at both ends") {
                    await packets().filter { $0 > 20 }.count == 4
                }
                for track in [TrackID.audio, .video] { await sender.setSending(.closed, of: track) }
                let session = try #require(await sender.media?.peer.session)
                let before = await packets()
                try await eventually("the session of the sender forgets a stream", within: .seconds(40)) {
                    let sent = RtpSessionStatistics(session)?.sources.values.filter { $0.isSent && $0.packets > 0 }
                    return sent.map { $0.count < 2 } ?? false
                }
                let silent = await packets()
                #expect(silent.count == 4 && zip(before, silent).allSatisfy { $0 <= $1 }, "\(before), \(silent)")
                for track in [TrackID.audio, .video] { await sender.setSending(.live, of: track) }
                try await eventually("more packets of all streams; before \(silent)") {
                    let now = await packets()
                    return now.count == 4 && zip(silent, now).allSatisfy { $0 + 20 < $1 }
                }
            }
        }
    }
}
