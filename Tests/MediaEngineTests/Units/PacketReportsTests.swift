import Testing

@testable import MediaEngine

@Suite("The bound of reports on sent packets") struct PacketReportsTests {
    /// A report on `count` packets, with these chunks and this number of bytes of deltas.
    private func report(
        _ count: Int, from number: Int = 100, report: UInt8 = 0, _ chunks: [Int], deltas: Int
    ) -> [UInt8] {
        var body: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 2]
        for word in [number, count] { body += [UInt8(word >> 8), UInt8(word & 255)] }
        body += [0, 0, 1, report]
        for chunk in chunks { body += [UInt8(chunk >> 8), UInt8(chunk & 255)] }
        body += [UInt8](repeating: 4, count: deltas)
        while body.count % 4 != 0 { body.append(0) }
        return [0x8f, 205, 0, UInt8(body.count / 4)] + body
    }

    private func excess(
        _ bytes: [UInt8], _ bound: UnboundedPacketReports = UnboundedPacketReports { 0 }, at ms: Int64 = 0
    ) -> Range<Int>? {
        bytes.withUnsafeBytes { bound.excess(in: $0, at: ClockReading(nanoseconds: ms * 1_000_000)) }
    }

    /// Reports each of 2,048 packets as lost: 24 bytes.
    private func allLost(from first: Int, report number: UInt8) -> [UInt8] {
        report(2_048, from: first, report: number, [0x0800], deltas: 0)
    }

    @Test("Whole reports pass: runs, vectors of one and two bits, and with them other packets")
    func whole() {
        let receiverReport: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 1]
        for bytes in [
            report(7, [0x2007], deltas: 7), report(7, [0x4007], deltas: 14), report(20, [0x0014], deltas: 0),
            report(14, [0xbfff], deltas: 14), report(7, [0xd555], deltas: 7), report(3, [0xea00], deltas: 6),
            report(0, [], deltas: 0), receiverReport, [], [0x80], [0x8f, 205, 255, 255],
        ] {
            #expect(excess(bytes) == nil)
            #expect(excess(receiverReport + bytes) == nil)
        }
    }

    @Test("Reports that are too large or too short are emptied; several in one packet make it invalid")
    func excessive() {
        for bytes in [
            report(65_535, [0x1fff, 0x1fff, 0x1fff, 0x1fff, 0x1fff, 0x1fff, 0x1fff, 0x1fff], deltas: 0),
            report(2_049, [0x0801], deltas: 0), report(40, [0x2028], deltas: 4), report(40, [0x0005], deltas: 0),
            report(7, [0x0000, 0x0000], deltas: 0),
        ] {
            #expect(excess(bytes) == 14..<16)
            #expect(excess([0x80, 201, 0, 1, 0, 0, 0, 1] + bytes) == 22..<24)
            let several = bytes + bytes
            #expect(excess(several) == 14..<several.count)
        }
    }

    @Test("A report that leaves out too many packets is invalid; one after lost reports passes")
    func gap() {
        let bound = UnboundedPacketReports { 0 }
        #expect(excess(report(7, report: 5, [0x2007], deltas: 7), bound) == nil)
        let far = report(7, from: 107 + 2_049, report: 6, [0x2007], deltas: 7)
        #expect(excess(far, bound) == 0..<far.count)
        #expect(excess(report(7, from: 107 + 2_048, report: 6, [0x2007], deltas: 7), bound) == nil)
        #expect(excess(report(7, from: 30_000, report: 9, [0x2007], deltas: 7), bound) == nil)
        #expect(excess(report(7, from: 200, report: 10, [0x2007], deltas: 7), bound) == nil)
    }

    @Test("A report that is emptied does not hide the gap before the next one")
    func hiddenGap() {
        let bound = UnboundedPacketReports { 0 }
        #expect(excess(report(60_000, from: 0, report: 1, [0x1fff], deltas: 0), bound) == 14..<16)
        let far = report(1, from: 62_048, report: 2, [0x2001], deltas: 1)
        #expect(excess(far, bound) == 0..<far.count)
    }

    @Test("Who reports more packets than were sent is not read any more, until more are sent")
    func moreThanWasSent() {
        let (sent, looks) = (Shared(0), Shared(0))
        let bound = UnboundedPacketReports {
            looks.update { $0 += 1 }
            return sent.value
        }
        // The same packets again and again.
        for round in 0..<8 { #expect(excess(allLost(from: 0, report: UInt8(round)), bound) == nil) }
        for round in 8..<20 {
            let bytes = allLost(from: 0, report: UInt8(round))
            #expect(excess(bytes, bound) == 0..<bytes.count)
        }
        #expect(looks.value == 1)
        sent.update { $0 = 1_000 }
        #expect(excess(allLost(from: 0, report: 20), bound, at: 200) == nil)
        #expect(excess(allLost(from: 0, report: 21), bound, at: 200) == 0..<24)
        // The session has forgotten a stream that was silent, and counts the new packets.
        sent.update { $0 = 600 }
        #expect(excess(allLost(from: 0, report: 21), bound, at: 400) == nil)
        // What is missing between two reports counts, too.
        sent.update { $0 = 1_500 }
        #expect(excess(report(0, from: 4_000, report: 21, [], deltas: 0), bound, at: 600) == nil)
        #expect(excess(allLost(from: 4_000, report: 22), bound, at: 600) == nil)
        #expect(excess(allLost(from: 6_048, report: 23), bound, at: 600) == 0..<24)
    }

    @Test("A compound packet of which the session may read other parts becomes invalid, and changes nothing")
    func notWhole() {
        let bound = UnboundedPacketReports { 0 }
        #expect(excess(report(7, report: 5, [0x2007], deltas: 7), bound) == nil)
        let far = report(7, from: 30_000, report: 6, [0x2007], deltas: 7)
        let receiverReport: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 1]
        let padded = [0xaf] + far.dropFirst() + [0, 0, 0, 4]
        for bytes in [
            // Another version of RTCP, leftover bytes, padding in front of the last packet.
            receiverReport + [0x4f] + far.dropFirst(), far + [0], receiverReport + padded + receiverReport,
            // A sender report that is too short, and an unknown type.
            [0x80, 200, 0, 0] + far, [0x80, 210, 0, 0] + far,
        ] {
            #expect(excess(bytes, bound) == 0..<bytes.count, "\(bytes)")
        }
        #expect(excess(far, bound) == 0..<far.count)
    }

    @Test("A report passes as libwebrtc sends it: alone, and padded with 1 to 3 bytes", arguments: 1...3)
    func padding(count: Int) {
        var bytes = report(7, [0x2007], deltas: 10 - count)
        (bytes[0], bytes[bytes.count - 1]) = (0xaf, UInt8(count))
        #expect(excess(bytes) == nil)
        // GStreamer drops it behind another packet.
        let both = [0x80, 201, 0, 1, 0, 0, 0, 1] + bytes
        #expect(excess(both) == 0..<both.count)
    }

    @Test("A padded report is bounded, too, and so is one that goes on in the packet behind it")
    func hidden() {
        let tooMany = report(2_049, [0x0801], deltas: 0)
        let padded =
            [0xaf] + tooMany.dropFirst(1).prefix(2) + [UInt8(tooMany.count / 4)] + tooMany.dropFirst(4) + [0, 0, 0, 4]
        #expect(excess(padded) == 14..<16)
        let short: [UInt8] = [0x8f, 205, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 100, 255, 255]
        let receiverReport: [UInt8] = [0x80, 201, 0, 1, 0x1f, 0xff, 0x1f, 0xff]
        #expect(excess(short + receiverReport) == 0..<24)
        #expect(excess(receiverReport + short) == 8..<24)
        #expect(excess([0x8f, 205, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2]) == nil)
    }
}
