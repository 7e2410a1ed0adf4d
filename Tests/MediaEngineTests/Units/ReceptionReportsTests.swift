import Synchronization
import Testing

@testable import MediaEngine

@Suite("What the peer reports on sent streams") struct ReceptionReportsTests {
    private let start = ClockReading.now

    /// A report block: 24 bytes.
    private func block(_ ssrc: UInt32, lost: Int, highest: UInt32, jitter: UInt32 = 0) -> [UInt8] {
        [ssrc, UInt32(truncatingIfNeeded: lost) & 0xff_ffff, highest, jitter, 0, 0].flatMap(Self.bytes)
    }

    /// A receiver report, or a sender report with 20 bytes more.
    private func report(type: UInt8 = 201, _ blocks: [UInt8]...) -> [UInt8] {
        let body = [UInt8](repeating: 7, count: type == 200 ? 24 : 4) + blocks.flatMap(\.self)
        return [0x80 | UInt8(blocks.count), type, 0, UInt8(body.count / 4)] + body
    }

    private static func bytes(_ word: UInt32) -> [UInt8] { (0..<4).map { UInt8(word >> (24 - 8 * $0) & 0xff) } }

    private func note(_ bytes: [UInt8], in reports: ReceptionReports, afterMs: Int = 0) {
        bytes.withUnsafeBytes { reports.note($0, at: start + .milliseconds(afterMs)) }
    }

    @Test("Each stream has its report, whatever the order and the type of the packets", arguments: [200, 201])
    func streams(type: UInt8) {
        let reports = ReceptionReports()
        for ssrc: UInt32 in [1, 2] { reports.follow(ssrc) }
        #expect(reports[1] == nil)
        let description: [UInt8] = [0x81, 202, 0, 1, 0, 0, 0, 7]
        let both = report(
            type: type, block(1, lost: 3, highest: 65_636, jitter: 90), block(2, lost: -1, highest: 7),
            block(3, lost: 1, highest: 1))
        note(description + both, in: reports)
        #expect(reports[1]?.latest == .init(lost: 3, highest: 65_636, jitter: 90))
        #expect(reports[2]?.latest == .init(lost: -1, highest: 7, jitter: 0))
        #expect(reports[3] == nil, "a stream of somebody else")
    }

    @Test("The share is that of half a second or more, also when each block comes twice")
    func share() throws {
        let reports = ReceptionReports()
        reports.follow(1)
        for (index, lost) in [0, 10, 20, 20, 20].enumerated() {
            let block = block(1, lost: lost, highest: UInt32(truncatingIfNeeded: index * 100))
            note(report(block) + report(block), in: reports, afterMs: index * 500)
            let expected = [0, 0.1, 0.1, 0, 0][index]
            #expect(try abs(#require(reports[1]).fractionLost - expected) < 0.001, "\(index)")
        }
    }

    @Test("The thousandth report needs no more of the stack than the first")
    func depth() throws {
        let reports = ReceptionReports()
        reports.follow(1)
        let places = Mutex<[Int]>([])
        reports.onReport { _, _ in
            var local = 0
            let place = withUnsafePointer(to: &local) { Int(bitPattern: $0) }
            places.withLock { $0.append(place) }
        }
        for _ in 0..<1_000 { note(report(block(1, lost: 0, highest: 1)), in: reports) }
        let all = places.withLock(\.self)
        #expect(all.count == 1_000)
        #expect(try #require(all.first) - #require(all.last) == 0)
    }

    @Test("More packets than were sent, or a number that goes back, are no loss")
    func noLoss() throws {
        let reports = ReceptionReports()
        reports.follow(1)
        for (index, values) in [(5, 500), (2, 600), (9, 100)].enumerated() {
            let block = block(1, lost: values.0, highest: UInt32(truncatingIfNeeded: values.1))
            note(report(block), in: reports, afterMs: index * 400)
            #expect(try #require(reports[1]).fractionLost == 0)
        }
    }

    @Test("Neither cut nor random packets trap, and a block that is cut off is ignored")
    func damaged() {
        let whole = report(type: 200, block(1, lost: 1, highest: 1))
        for length in 0..<whole.count {
            let reports = ReceptionReports()
            reports.follow(1)
            note(Array(whole.prefix(length)), in: reports)
            #expect(reports[1] == nil)
        }
        var generator = SeededGenerator(seed: 11)
        let reports = ReceptionReports()
        reports.follow(1)
        for _ in 0..<5_000 {
            var bytes = report(type: Bool.random(using: &generator) ? 200 : 201, block(1, lost: 1, highest: 1)) + whole
            for _ in 0..<8 {
                let place = Int.random(in: bytes.indices, using: &generator)
                bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
            }
            note(bytes, in: reports, afterMs: Int.random(in: 0...100_000, using: &generator))
            if let stream = reports[1] { #expect((0...1).contains(stream.fractionLost)) }
        }
    }
}
