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

    @Test("The round trip is that of the latest report, whichever stream of the peer it came with")
    func roundTrip() {
        let old = entry(1, roundTrip: 0.25, reported: 100)
        let new = entry(2, roundTrip: 0.125, reported: 200)
        let ours = entry(3, sent: true, roundTrip: 1, reported: 300)
        #expect(RtpSessionStatistics([old, new, ours]).roundTrip == 0.125)
        #expect(RtpSessionStatistics([new, ours, old]).roundTrip == 0.125)
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
                let sources = RtpSessionStatistics(session).sources
                return [UInt32(1), 2].allSatisfy {
                    guard let source = sources[$0] else { return false }
                    return source.isSent && source.packets > 10 && source.bytes > source.packets
                }
            }
        }

        @Test("A stream whose sender was silent for a while is still known, at both ends", arguments: [true, false])
        func silentSender(atSender: Bool) async throws {
            let (caller, callee) = (try RawPeer(RawPeer.opus), try RawPeer(RawPeer.opus))
            let end = atSender ? caller : callee
            let rtpbin = try #require(end.webrtc.child(madeBy: "rtpbin"))
            try await RawPeer.negotiate(caller, callee)
            try await eventually("media") { callee.packets.value > 0 }
            let session = try #require(end.webrtc.child(madeBy: "rtpsession"))
            // The two ends may both send: the stream is the one with the most packets.
            func stream() -> (ssrc: UInt32, packets: Int)? {
                RtpSessionStatistics(session).sources.filter { $0.value.isSent == atSender && $0.value.packets > 0 }
                    .max { $0.value.packets < $1.value.packets }.map { ($0.key, $0.value.packets) }
            }
            let (ssrc, before) = try #require(stream())
            // What rtpbin emits after 5 s of silence; webrtcbin forgets the stream then.
            rtpbin.emit("on-sender-timeout", [.uint(0), .uint(ssrc)])
            try await eventually("more media") {
                RtpSessionStatistics(session).sources[ssrc]?.packets ?? 0 > before + 20
            }
        }
    }
}
