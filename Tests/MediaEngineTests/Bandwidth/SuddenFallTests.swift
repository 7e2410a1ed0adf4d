import Testing

@testable import MediaEngine

@Suite("A path that suddenly takes far less") struct SuddenFallTests {
    private static let rate = 4_000_000.0
    /// A packet of this size takes 2.5 ms at 4 Mbit/s and 20 ms at 500 kbit/s.
    private static let bytes = 1_246

    /// Frames of twelve packets, 30 a second, on a path of 40 ms that is nearly full.
    private struct Frames {
        var estimator = BandwidthEstimator(start: rate)
        private var number: UInt16 = 0
        private var frame = 0

        init(waits: [Double] = [0.016, 0.016]) {
            for _ in 0..<57 { send(waits: 0.016) }
            for wait in waits { send(waits: wait) }
        }

        /// Sends the next frame, whose first packet waits for `wait`, in s, and whose packets arrive with `spacing` between them.
        ///
        /// - Parameters:
        ///   - batch: how many packets each report is about.
        ///   - distance: the time between two packets when they are sent, in s.
        mutating func send(
            waits wait: Double, spacing: Double = 0.0025, packets: Int = 12, batch: Int = 12, distance: Double = 0,
            bytes: (Int) -> Int = { _ in SuddenFallTests.bytes }
        ) {
            let sent = Double(frame) / 30
            let reports = (0..<packets).map { index in
                PacketReport(
                    number: number &+ UInt16(index), sent: sent + Double(index) * distance,
                    received: sent + 0.04 + wait + Double(index) * spacing, bytes: bytes(index))
            }
            for first in stride(from: 0, to: packets, by: batch) {
                estimator.note(Array(reports[first..<min(first + batch, packets)]), enough: rate)
            }
            number &+= UInt16(packets)
            frame += 1
        }
    }

    @Test(
        "The packets of one frame count, also when the frames before it waited less and less, and however they are reported",
        arguments: [[0.016, 0.016], [0.031, 0.016]], [1, 2, 5])
    func counts(waits: [Double], batch: Int) {
        var frames = Frames(waits: waits)
        frames.send(waits: waits[1] - 0.016, spacing: 0.02, packets: 5, batch: batch)
        #expect(frames.estimator.hasFallen && 300_000...550_000 ~= frames.estimator.bitrate)
        // The fifth packet waited 80 ms: most of the queue is not known yet, and little is sent.
        #expect(frames.estimator.target < 0.3 * 500_000)
    }

    @Test("A paced frame counts, although its packets look like several bursts")
    func paced() {
        var frames = Frames()
        frames.send(waits: 0, spacing: 0.04, packets: 6, distance: 0.003)
        #expect(frames.estimator.hasFallen && 200_000...300_000 ~= frames.estimator.bitrate)
    }

    @Test("A path that takes more than half of the rate has not fallen")
    func slower() {
        var frames = Frames()
        frames.send(waits: 0.016, spacing: 0.0047)
        #expect(!frames.estimator.hasFallen && frames.estimator.bitrate >= Self.rate)
    }

    @Test("Packets that are sent slowly are of several frames")
    func slowlySent() {
        var frames = Frames()
        frames.send(waits: 0.016, spacing: 0.02, packets: 4, distance: 0.004)
        #expect(!frames.estimator.hasFallen && frames.estimator.bitrate >= Self.rate)
    }

    @Test("A frame that is late as a whole has not waited for itself")
    func late() {
        var frames = Frames()
        frames.send(waits: 0.2, spacing: 0.003)
        #expect(!frames.estimator.hasFallen && frames.estimator.bitrate >= Self.rate)
    }

    @Test("The fall ends when the queue empties")
    func ends() {
        var frames = Frames()
        frames.send(waits: 0, spacing: 0.02, packets: 5)
        let fallen = frames.estimator.bitrate
        for wait in [0.07, 0.05, 0.03] {
            #expect(frames.estimator.hasFallen)
            frames.send(waits: wait, packets: 1)
        }
        #expect(!frames.estimator.hasFallen && frames.estimator.target >= fallen)
    }

    @Test("Several frames correct what one of them said")
    func correction() {
        var frames = Frames()
        frames.send(waits: 0, spacing: 0.02, packets: 5)
        #expect(frames.estimator.hasFallen)
        // Each frame waits 20 ms longer: twelve packets in 53 ms.
        for frame in 1...4 { frames.send(waits: 0.016 + Double(frame) * 0.02) }
        #expect(!frames.estimator.hasFallen && 1_800_000...2_000_000 ~= frames.estimator.bitrate)
    }

    @Test("On a path of 150 kbit/s a packet takes longer than small ones, and that is no queue")
    func narrow() {
        var frames = Frames()
        frames.send(waits: 0, spacing: 0.066, packets: 5)
        #expect(frames.estimator.isCongested)
        // A packet of audio is the first, and each report ends with a full packet behind it.
        for _ in 0..<30 { frames.send(waits: 0, spacing: 0.066, packets: 2) { $0 == 0 ? 150 : Self.bytes } }
        #expect(!frames.estimator.hasFallen && !frames.estimator.isCongested)
    }
}
