import Metrics
import MetricsTestKit
import Testing

@testable import CallAgent
@testable import MediaEngine

/// The periodic statistics of calls.
@Suite(.timeLimit(.minutes(1)))
struct StatisticsTests {
    /// The metrics backend of the process; swift-metrics accepts only one.
    ///
    /// Each test has its own calls.
    private static let metrics: TestMetrics = {
        let metrics = TestMetrics()
        MetricsSystem.bootstrap(metrics)
        return metrics
    }()

    private static func report(seconds: Double, packets: Int, bytes: Int) -> StatisticsReport {
        var report = StatisticsReport()
        report.transport = .init(timestamp: seconds * 1_000)
        var entry = StatisticsReport.InboundRtp(
            timestamp: seconds * 1_000, id: "i", ssrc: 1, kind: "video", codecId: "codec-video")
        (entry.packetsReceived, entry.bytesReceived) = (packets, bytes)
        report.inbound = [entry]
        return report
    }

    @Test(
        "Each interval reports totals and changes to the application and to swift-metrics, until the call ends"
    )
    func intervals() async throws {
        let metrics = Self.metrics
        try await withAlice {
            $0.statisticsInterval = .seconds(1)
        } _: { alice, signaling in
            let call = try await alice.agent.call("bob")
            let events = call.events
            // Without a connection there are no statistics.
            try await alice.clock.elapse(.seconds(1))
            try await eventually("the first look is over") { alice.clock.sleeping.contains(.seconds(1)) }
            let session = try await alice.session()
            session.set(Self.report(seconds: 1, packets: 10, bytes: 1_000))
            try await alice.clock.elapse(.seconds(1))
            var told: [CallStatistics] = []
            for await event in events {
                guard case .statistics(let statistics) = event else { continue }
                told.append(statistics)
                if told.count == 2 { break }
                session.set(Self.report(seconds: 3, packets: 110, bytes: 251_000))
                try await alice.clock.elapse(.seconds(1))
            }
            #expect(told[0].delta.inbound.first?.packetsReceived == 10)
            #expect(told[1].delta.inbound.first?.packetsReceived == 100)
            #expect(told[1].delta.inbound.first?.kbitPerSecond == 1_000)
            #expect(told[1].report.inbound.first?.packetsReceived == 110)
            let dimensions = [
                ("peer", "bob"), ("call", call.id), ("role", "caller"), ("kind", "video"),
            ]
            let gauge = try metrics.expectGauge("callagent_received_kbit_per_second", dimensions)
            #expect(gauge.lastValue == 1_000)
            let total = try metrics.expectCounter(
                "callagent_rtp_packets_received_total", [("role", "caller"), ("kind", "video")])
            #expect(total.totalValue >= 110)

            await call.hangUp()
            _ = await call.waitUntilEnded()
            // The last report is kept. The gauges of the call are removed, and nothing more is reported.
            #expect(await call.statistics().inbound.first?.packetsReceived == 110)
            #expect(throws: (any Error).self) {
                try metrics.expectGauge("callagent_received_kbit_per_second", dimensions)
            }
            try await eventually("no sampling any more") { !alice.clock.sleeping.contains(.seconds(1)) }
        }
    }

    @Test("By default nothing is sampled")
    func none() async throws {
        try await withAlice { alice, _ in
            _ = try await alice.agent.call("bob")
            _ = try await alice.session()
            #expect(!alice.clock.sleeping.contains(.seconds(1)))
        }
    }
}
