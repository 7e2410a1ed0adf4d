import Testing

@testable import MediaEngine

@Suite("The repetition of a DTLS flight") struct DtlsFlightTests {
    private let start = ContinuousClock.now
    private func after(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test("A flight without an answer is repeated after 100, 200, 400 and 800 ms, and then not any more")
    func repeats() {
        var flight = DtlsFlight()
        #expect(flight.deadline == nil && flight.due(at: start).isEmpty)
        flight.noteSent([22, 1], at: start)
        flight.noteSent([22, 2], at: after(10))
        #expect(flight.deadline == after(110))
        #expect(flight.due(at: after(109)).isEmpty)
        var sent: [Int] = []
        for moment in stride(from: 0, through: 10_000, by: 10) where !flight.due(at: after(moment)).isEmpty {
            sent.append(moment)
        }
        #expect(sent == [110, 310, 710, 1_510])
        #expect(flight.deadline == nil)
    }

    @Test("The answer shows the round trip, unless a repetition may have got it")
    func roundTrip() {
        var flight = DtlsFlight()
        flight.noteSent([22, 1], at: start)
        flight.noteReceived(record(0), at: after(50))
        #expect(flight.roundTrip == .milliseconds(50))
        // A long path: all answers are late, and the shortest time counts.
        flight = DtlsFlight()
        flight.noteSent([22, 1], at: start)
        for moment in [100, 300] { #expect(!flight.due(at: after(moment)).isEmpty) }
        flight.noteReceived(record(0), at: after(620))
        flight.noteReceived(record(1), at: after(650))
        #expect(flight.roundTrip == .milliseconds(620))
        flight.noteSent([22, 2], at: after(660))
        flight.noteReceived(record(2), at: after(760))
        #expect(flight.roundTrip == .milliseconds(100))
        // The first one was lost.
        flight = DtlsFlight()
        flight.noteSent([22, 1], at: start)
        _ = flight.due(at: after(100))
        flight.noteReceived(record(0), at: after(140))
        #expect(flight.roundTrip == nil)
    }

    @Test("An answer ends the repetition, and the next packet begins another flight")
    func answered() {
        var flight = DtlsFlight()
        flight.noteSent([22, 1], at: start)
        flight.noteReceived(record(0), at: start)
        #expect(flight.deadline == nil && flight.due(at: after(1_000)).isEmpty)
        flight.noteSent([22, 2], at: after(1_000))
        #expect(flight.due(at: after(1_100)) == [[22, 2]])
    }

    @Test("A repetition of the peer's last flight is no answer to this one; its next record or epoch is")
    func repetition() {
        var flight = DtlsFlight()
        flight.noteReceived(record(6), at: start)
        flight.noteSent([22, 1], at: start)
        for packet in [record(6), record(5), [], [22, 254, 253]] { flight.noteReceived(packet, at: start) }
        #expect(flight.due(at: after(100)) == [[22, 1]])
        flight.noteReceived(record(0, epoch: 1), at: start)
        #expect(flight.deadline == nil)
    }

    private func record(_ number: UInt8, epoch: UInt8 = 0) -> [UInt8] {
        [22, 254, 253, 0, epoch, 0, 0, 0, 0, 0, number, 0, 0]
    }

    @Test("Media of the peer ends everything")
    func over() {
        var flight = DtlsFlight()
        flight.noteSent([22, 1], at: start)
        flight.end()
        flight.noteSent([22, 2], at: start)
        #expect(flight.deadline == nil && flight.due(at: after(1_000)).isEmpty)
    }

    @Test("Only so many packets of a usual size are kept")
    func bounds() {
        var flight = DtlsFlight()
        for _ in 0..<100 { flight.noteSent([22], at: start) }
        flight.noteSent([UInt8](repeating: 22, count: 3_000), at: start)
        #expect(flight.due(at: after(100)).count == DtlsFlight.maximumPackets)
        var large = DtlsFlight()
        large.noteSent([UInt8](repeating: 22, count: 3_000), at: start)
        #expect(large.deadline == nil)
    }
}
