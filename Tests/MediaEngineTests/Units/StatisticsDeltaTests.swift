import Testing

@testable import MediaEngine

@Suite("The difference of two reports") struct StatisticsDeltaTests {
    private func report(at milliseconds: Double, _ change: (inout StatisticsReport) -> Void = { _ in })
        -> StatisticsReport
    {
        var report = StatisticsReport()
        report.transport = .init(timestamp: milliseconds)
        report.inbound = ["audio", "video"].enumerated().map {
            .init(timestamp: milliseconds, id: $1, ssrc: UInt32($0), kind: $1, codecId: "")
        }
        report.outbound = [
            .init(timestamp: milliseconds, id: "o", ssrc: 7, kind: "video", codecId: "", targetBitrate: 500_000)
        ]
        change(&report)
        return report
    }

    @Test("Rates are per second, losses a fraction of the sent packets, and levels a mean")
    func rates() throws {
        let first = report(at: 1_000) {
            $0.inbound[1].packetsReceived = 100
            $0.inbound[1].packetsLost = 5
            $0.inbound[1].bytesReceived = 10_000
            $0.inbound[1].framesReceived = 10
            $0.inbound[1].freezeCount = 1
            $0.inbound[1].totalFreezesDuration = 0.5
            $0.inbound[0].totalAudioEnergy = 1
            $0.inbound[0].totalSamplesDuration = 1
            $0.outbound[0].bytesSent = 1_000
        }
        let second = report(at: 3_000) {
            $0.inbound[1].packetsReceived = 190
            $0.inbound[1].packetsLost = 15
            $0.inbound[1].bytesReceived = 260_000
            $0.inbound[1].framesReceived = 70
            $0.inbound[1].freezeCount = 3
            $0.inbound[1].totalFreezesDuration = 1.25
            $0.inbound[1].jitter = 0.004
            $0.inbound[1].jitterBufferDelay = 1.8
            $0.inbound[1].jitterBufferEmittedCount = 90
            $0.inbound[0].totalAudioEnergy = 1.5
            $0.inbound[0].totalSamplesDuration = 3
            $0.outbound[0].bytesSent = 126_000
            $0.outbound[0].packetsSent = 50
            $0.remoteInbound = [.init(timestamp: 3_000, id: "r", ssrc: 7, kind: "video", localId: "o")]
            $0.remoteInbound[0].fractionLost = 0.25
            $0.candidatePair = .init(timestamp: 3_000)
            $0.candidatePair?.currentRoundTripTime = 0.02
        }
        let delta = second.delta(from: first)
        #expect(delta.seconds == 2 && delta.roundTripTimeMs == 20)
        let video = delta.inbound[1]
        #expect(video.kbitPerSecond == 1_000 && video.packetsReceived == 90 && video.packetsLost == 10)
        #expect(video.fractionLost == 0.1 && video.framesPerSecond == 30 && video.jitterMs == 4)
        #expect(video.freezeCount == 2 && video.totalFreezesDurationMs == 750 && video.audioLevel == nil)
        #expect(try abs(#require(video.jitterBufferMs) - 20) < 1e-9)
        #expect(delta.inbound[0].audioLevel == 0.5 && delta.inbound[0].freezeCount == nil)
        #expect(delta.outbound[0].kbitPerSecond == 500 && delta.outbound[0].targetBitrate == 500_000)
        #expect(delta.outbound[0].packetsSent == 50 && delta.outbound[0].remoteFractionLost == 0.25)
    }

    @Test("A count that goes back is zero, a new stream starts at zero, and no time gives no rate")
    func odd() {
        let first = report(at: 1_000) { $0.inbound[1].packetsLost = 9 }
        let second = report(at: 2_000) {
            $0.inbound[1].packetsLost = 7
            $0.inbound[0].ssrc = 99
            $0.inbound[0].bytesReceived = 125
        }
        #expect(second.delta(from: first).inbound[1].packetsLost == 0)
        #expect(second.delta(from: first).inbound[0].kbitPerSecond == 1)
        for delta in [second.delta(from: second), first.delta(from: second), second.delta(from: StatisticsReport())] {
            #expect(delta.seconds == 0 && delta.inbound.allSatisfy { $0.kbitPerSecond == 0 })
        }
        #expect(StatisticsReport().delta(from: first) == StatisticsDelta(seconds: 0))
    }
}
