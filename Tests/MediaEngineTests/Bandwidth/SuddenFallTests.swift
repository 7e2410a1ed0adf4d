import Testing

@testable import MediaEngine

@Suite("A path that suddenly takes far less") struct SuddenFallTests {
    private let megabits = 4_000_000.0

    /// Two seconds of frames on a path that is nearly full, then one whose packets arrive at 500 kbit/s.
    ///
    /// - Parameter waits: how long the first packet of each of the last three frames waits, in s.
    private func estimator(waits: [Double]) -> BandwidthEstimator {
        var estimator = BandwidthEstimator(start: megabits)
        for frame in 0..<60 {
            let sent = Double(frame) / 30
            let wait = frame < 57 ? 0.016 : waits[frame - 57]
            // 1,246 bytes take 2.5 ms at 4 Mbit/s and 20 ms at 500 kbit/s.
            let spacing = frame < 59 ? 0.0025 : 0.02
            let packets = (0..<12).map { number in
                PacketReport(
                    number: UInt16(frame * 12 + number), sent: sent,
                    received: sent + 0.04 + wait + Double(number) * spacing, bytes: 1_246)
            }
            guard frame == 59 else {
                estimator.note(packets, enough: megabits)
                continue
            }
            // Four packets show it. The report on the fifth one comes later.
            for packet in packets.prefix(5) { estimator.note([packet], enough: megabits) }
        }
        return estimator
    }

    @Test(
        "The packets of one frame count, also when the frames before it waited less and less",
        arguments: [[0.016, 0.016, 0.016], [0.031, 0.016, 0]])
    func counts(waits: [Double]) {
        let estimator = estimator(waits: waits)
        #expect(estimator.hasFallen && 300_000...550_000 ~= estimator.bitrate)
        // The fifth packet waited 80 ms: most of the queue is not known yet, and little is sent.
        #expect(estimator.target < 0.3 * 500_000)
    }
}
