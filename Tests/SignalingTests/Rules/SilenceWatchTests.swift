import CallProtocol
import Testing

/// When a silent connection is pinged and closed.
struct SilenceWatchTests {
    private var now = ContinuousClock.now
    private var watch: SilenceWatch

    init() { watch = SilenceWatch(interval: .seconds(5), timeout: .seconds(12), now: now) }

    private mutating func check(after delay: Duration) -> SilenceWatch.Verdict {
        now += delay
        return watch.check(at: now)
    }

    @Test mutating func aSilentEndIsPingedAndGivenUpInTheEnd() {
        #expect(check(after: .seconds(5)) == .ping(.seconds(5)))
        #expect(check(after: .seconds(5)) == .ping(.seconds(5)))
        #expect(check(after: .seconds(5)) == .givenUp(after: .seconds(15)))
    }

    @Test mutating func whoeverIsHeardIsNotPinged() {
        now += .seconds(3)
        watch.heard(at: now)
        #expect(check(after: .seconds(2)) == .wait(.seconds(3)))
        #expect(check(after: .seconds(3)) == .ping(.seconds(5)))
        watch.heard(at: now)
        #expect(check(after: .seconds(5)) == .ping(.seconds(5)))
    }

    @Test mutating func aProcessThatWasStoppedDoesNotBlameTheOther() {
        #expect(check(after: .seconds(3_600)) == .ping(.seconds(5)))
        #expect(check(after: .seconds(3_600)) == .ping(.seconds(5)))
        #expect(check(after: .seconds(5)) == .givenUp(after: .seconds(15)))
    }
}
