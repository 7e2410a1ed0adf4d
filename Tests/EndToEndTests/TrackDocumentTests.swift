import Testing

@testable import CallAgent
@testable import MediaEngine
@testable import callagent_cli

extension EndToEnd {
    /// The figures of a call whose connection was replaced.
    @Suite struct TrackDocumentTests {
        /// What a connection of 10 s reports.
        private static func report(bytes: Int, packets: Int, lost: Int, freezes: Int) -> MediaReport {
            let track = TrackID.video(1)
            var inbound = StatisticsReport.InboundRtp(
                timestamp: 0, id: "in", ssrc: 1, kind: "video", codecId: track.codecId)
            (inbound.bytesReceived, inbound.packetsReceived, inbound.packetsLost) = (bytes, packets, lost)
            (inbound.freezeCount, inbound.totalFreezesDuration) = (freezes, Double(freezes))
            var outbound = StatisticsReport.OutboundRtp(
                timestamp: 0, id: "out", ssrc: 2, kind: "video", codecId: track.codecId)
            (outbound.bytesSent, outbound.packetsSent) = (2 * bytes, packets)
            outbound.qualityLimitationDurations = ["none": 8, "bandwidth": 2]
            var remote = StatisticsReport.RemoteInboundRtp(
                timestamp: 0, id: "remote", ssrc: 2, kind: "video", localId: "out")
            remote.packetsLost = lost
            var report = MediaReport()
            report.rtcStatistics.inbound = [inbound]
            report.rtcStatistics.outbound = [outbound]
            report.rtcStatistics.remoteInbound = [remote]
            var received = MediaReport.Received(codec: "VP8")
            (received.decoded, received.seconds) = (300, 10)
            var sent = MediaReport.Sent(codec: "VP8", frames: 300)
            sent.seconds = 10
            report.video = .init(sent: sent, received: received)
            return report
        }

        @Test("Rates, losses and freezes are those of all connections")
        func replaced() throws {
            let first = Self.report(bytes: 1_000_000, packets: 900, lost: 100, freezes: 2)
            let second = Self.report(bytes: 500_000, packets: 1_000, lost: 0, freezes: 1)
            let third = Self.report(bytes: 0, packets: 0, lost: 0, freezes: 0)
            let total = third.continuing(second.continuing(first))
            #expect(total.formerStatistics == [first.rtcStatistics, second.rtcStatistics])
            let document = TrackDocument(video: try #require(total.video), in: total, acceptedAt: nil)
            #expect(document.received.kbitPerSecond == 400 && document.sent.kbitPerSecond == 800)
            #expect(document.received.packetsReceived == 1_900 && document.received.packetsLost == 100)
            #expect(document.received.lossPercent == 5 && document.sent.packetsLost == 100)
            #expect(document.received.freezeCount == 3 && document.received.totalFreezesDurationMs == 3_000)
            #expect(document.sent.qualityLimitationDurationsMs == ["none": 24_000, "bandwidth": 6_000])
        }
    }
}
