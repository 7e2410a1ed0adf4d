import Synchronization
import Testing

@testable import MediaEngine

@Suite("The change between two encoders") struct EncoderHandoverTests {
    private func shared(_ handover: EncoderHandover, at beginning: UInt64) {
        #expect(handover.change(since: handover.epoch) { max($0 + 1, beginning) })
        #expect(!handover.admitsOwn(at: beginning))
        #expect(handover.admitsShared(at: beginning, until: beginning + 1, isDelta: false))
    }

    @Test("The own encoder gets what is before the beginning, the shared one the rest, from a key frame on")
    func change() {
        let handover = EncoderHandover(.video)
        #expect(handover.admitsOwn(at: 10))
        #expect(!handover.admitsShared(at: 10, until: 11, isDelta: false))
        #expect(handover.change(since: 0) { $0 + 20 })
        #expect(handover.admitsOwn(at: 20))
        #expect(!handover.admitsShared(at: 20, until: 21, isDelta: false), "it is before the beginning")
        #expect(!handover.admitsOwn(at: 30))
        #expect(!handover.admitsShared(at: 30, until: 31, isDelta: true), "it needs a frame that was not sent")
        #expect(!handover.isShared)
        let begins = Count()
        #expect(handover.admitsShared(at: 40, until: 41, isDelta: false) { begins.add() })
        #expect(handover.admitsShared(at: 50, until: 51, isDelta: true) { begins.add() })
        #expect(begins.value == 1)
        #expect(handover.isShared && handover.passed == 2)
        #expect(!handover.admitsOwn(at: 50))
    }

    @Test("A beginning is later than what the own encoder has") func late() {
        let handover = EncoderHandover(.video)
        #expect(handover.admitsOwn(at: 100))
        var last: UInt64 = 0
        #expect(
            handover.change(since: 0) {
                last = $0
                return $0 + 1
            })
        #expect(last == 100)
    }

    @Test("The shared encoder does not wait long for an own one, whose late frames are not sent then") func slow() {
        let handover = EncoderHandover(.video)
        #expect(handover.admitsOwn(at: 5))
        #expect(handover.change(since: 0) { _ in 10 })
        #expect(handover.admitsShared(at: 10, until: 11, isDelta: false))
        #expect(handover.isShared)
        #expect(handover.admitsOutput(at: 10))
        #expect(!handover.admitsOutput(at: 5))
    }

    @Test("On the way back the shared encoder goes on until the own one gets something newer") func back() {
        let handover = EncoderHandover(.video)
        shared(handover, at: 10)
        let count = Count()
        handover.return()
        handover.whenOwn { count.add() }
        #expect(handover.isShared && !handover.staysShared)
        #expect(handover.admitsShared(at: 20, until: 21, isDelta: true))
        #expect(!handover.admitsOwn(at: 20), "it was sent already")
        #expect(count.value == 0)
        #expect(handover.admitsOwn(at: 30))
        #expect(count.value == 1)
        #expect(!handover.admitsShared(at: 40, until: 41, isDelta: false))
    }

    @Test("A stop takes effect at once, and a change that was begun before it is refused") func stop() {
        let handover = EncoderHandover(.video)
        shared(handover, at: 10)
        let epoch = handover.epoch
        handover.stop()
        #expect(!handover.admitsShared(at: 20, until: 21, isDelta: false))
        #expect(!handover.change(since: epoch) { _ in 30 })
        #expect(!handover.change(since: handover.epoch) { _ in 30 }, "it is still stopped")
        handover.allow()
        #expect(!handover.change(since: epoch) { _ in 30 })
        #expect(!handover.isShared)
        #expect(handover.admitsOwn(at: 30))
        #expect(handover.change(since: handover.epoch) { _ in 40 })
    }

    @Test("After a gap only a key frame passes, and what is left out is counted") func gap() {
        let handover = EncoderHandover(.video)
        shared(handover, at: 10)
        handover.noteGap()
        #expect(!handover.admitsShared(at: 20, until: 21, isDelta: true))
        #expect(handover.admitsShared(at: 30, until: 31, isDelta: false))
        #expect(handover.admitsShared(at: 40, until: 41, isDelta: true))
        #expect(handover.dropped == 2)
    }

    @Test("Audio changes with any packet, and the own encoder goes on after the end of the last one") func audio() {
        let handover = EncoderHandover(.audio)
        #expect(handover.change(since: 0) { _ in 10 })
        #expect(!handover.admitsOwn(at: 10))
        #expect(handover.admitsShared(at: 20, until: 40, isDelta: true))
        handover.stop()
        #expect(!handover.admitsOwn(at: 30))
        #expect(handover.admitsOwn(at: 40))
    }

    @Test("On the way back the own encoder of audio warms up, and the shared one goes on meanwhile") func warmUp() {
        let packet: UInt64 = 20_000_000
        let handover = EncoderHandover(.audio)
        #expect(handover.admitsOwnOutput(at: 0), "nothing is shared")
        #expect(handover.change(since: 0) { _ in packet })
        #expect(handover.admitsOwnOutput(at: 0), "it is from before the change")
        #expect(!handover.admitsOwn(at: packet))
        #expect(handover.admitsShared(at: packet, until: 2 * packet, isDelta: true))
        let count = Count()
        handover.return()
        handover.whenOwn { count.add() }
        #expect(!handover.admitsOwnOutput(at: 2 * packet), "an old rest")
        // The packets of the own encoder begin 5 ms later.
        for number in 2..<12 as Range<UInt64> {
            #expect(handover.admitsOwn(at: number * packet + 5_000_000))
            #expect(!handover.admitsOwnOutput(at: number * packet + 5_000_000))
            #expect(handover.admitsShared(at: number * packet, until: (number + 1) * packet, isDelta: true))
        }
        #expect(count.value == 0 && handover.isShared)
        #expect(handover.admitsShared(at: 12 * packet, until: 13 * packet, isDelta: true))
        #expect(handover.admitsOwnOutput(at: 12 * packet + 5_000_000 + packet))
        #expect(count.value == 1 && !handover.isShared)
        #expect(!handover.admitsShared(at: 14 * packet, until: 15 * packet, isDelta: true))
    }

    @Test("After a hold the own encoder of audio warms up, too, and one that never paused does not")
    func warmUpAfterStop() {
        let second: UInt64 = 1_000_000_000
        let handover = EncoderHandover(.audio)
        handover.stop()
        handover.allow()
        #expect(handover.admitsOwn(at: 0) && handover.admitsOwnOutput(at: 0))
        #expect(handover.change(since: handover.epoch) { _ in 10 })
        #expect(!handover.admitsOwn(at: 10))
        #expect(handover.admitsShared(at: 10, until: 30, isDelta: true))
        handover.stop()
        handover.allow()
        #expect(handover.admitsOwn(at: second))
        #expect(!handover.admitsOwnOutput(at: second))
        #expect(handover.admitsOwn(at: second + EncoderHandover.warmUp))
        #expect(handover.admitsOwnOutput(at: second + EncoderHandover.warmUp))
        #expect(handover.admitsOwnOutput(at: second + EncoderHandover.warmUp - 5), "from then on all is sent")
    }

    @Test("An own encoder that makes nothing is waited for until the way back is given up") func silentOwn() {
        let handover = EncoderHandover(.audio)
        #expect(handover.change(since: 0) { _ in 10 })
        #expect(!handover.admitsOwn(at: 10))
        #expect(handover.admitsShared(at: 10, until: 30, isDelta: true))
        handover.return()
        #expect(handover.admitsShared(at: 5_000_000_000, until: 5_000_000_001, isDelta: true), "it has no audio yet")
        #expect(handover.admitsOwn(at: 5_000_000_010))
        #expect(!handover.admitsShared(at: 6_000_000_000, until: 6_000_000_001, isDelta: true))
        handover.abandon()
        #expect(handover.admitsOwnOutput(at: 6_000_000_010))
    }

    @Test("A change that is not over ends at once on the way back") func early() {
        let handover = EncoderHandover(.video)
        #expect(handover.change(since: 0) { _ in 10 })
        handover.return()
        #expect(!handover.admitsShared(at: 10, until: 11, isDelta: false))
        #expect(handover.admitsOwn(at: 10))
        let count = Count()
        handover.whenOwn { count.add() }
        #expect(count.value == 1)
    }

    @Test("What an encoder had kept since its last turn is not sent") func stale() {
        let second: UInt64 = 1_000_000_000
        let handover = EncoderHandover(.audio)
        #expect(handover.change(since: 0) { _ in second })
        #expect(!handover.admitsOwn(at: second))
        #expect(handover.admitsShared(at: second, until: second + 20, isDelta: true))
        #expect(handover.admitsOutput(at: second))
        handover.stop()
        #expect(!handover.admitsOutput(at: second / 2), "a packet from before the change")
        #expect(!handover.admitsOutput(at: second))
        #expect(handover.admitsOutput(at: second + 20))
        #expect(handover.admitsOutput(at: nil))
        // Much later, time may go back: the processing of the audio was changed.
        #expect(handover.admitsOutput(at: 3 * second))
        #expect(handover.admitsOutput(at: 2 * second))
    }

    @Test("The pause before the next attempt grows, and is short again after a success") func pauses() {
        var pause = SharingPause()
        let now = ClockReading.now
        #expect(pause.end <= now)
        pause.begin(at: now)
        #expect(pause.end == now + .milliseconds(250))
        for _ in 1...20 { pause.begin(at: now) }
        #expect(pause.end == now + .seconds(8))
        for _ in 1...2 { pause.beginAfterFailure(at: now) }
        #expect(pause.end == now + .seconds(10))
        for _ in 1...20 { pause.beginAfterFailure(at: now) }
        #expect(pause.end == now + .seconds(300))
        pause.reset()
        pause.beginAfterFailure(at: now + .seconds(300))
        #expect(pause.end == now + .seconds(305))
        pause.begin(at: now + .seconds(305))
        #expect(pause.end == now + .seconds(305) + .milliseconds(250))
    }

    @Test("More than four requests for key frames in ten seconds are too many") func requests() {
        let now = ClockReading.now
        var pause = SharingPause()
        for second in stride(from: 0, to: 60, by: 3) {
            let isTooOften = pause.isTooOften(at: now + .seconds(second))
            #expect(!isTooOften)
        }
        for _ in 1...4 { _ = pause.isTooOften(at: now + .seconds(100)) }
        let isTooOften = pause.isTooOften(at: now + .seconds(101))
        #expect(isTooOften)
    }
}

/// Counts calls of a closure.
private final class Count: Sendable {
    private let count = Mutex(0)
    func add() { count.withLock { $0 += 1 } }
    var value: Int { count.withLock { $0 } }
}
