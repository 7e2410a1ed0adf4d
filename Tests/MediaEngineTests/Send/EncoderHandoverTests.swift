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
        let now = ContinuousClock.now
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
        let now = ContinuousClock.now
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
