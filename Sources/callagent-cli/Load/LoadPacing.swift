internal import Foundation

/// When a worker places its calls: a value without a clock.
///
/// The rate of a worker is its share of the rate of all. Each call has a place on the axis of the expected number of calls; the time at which
/// that many are expected is when it begins. So a ramp needs no special case. When a call had to wait for another one to end, all later ones are
/// put off by the same time: the load never catches up in a burst.
struct LoadPacing {
    /// How calls follow one another.
    enum Arrivals {
        /// In equal distances.
        case even
        /// At random, as calls of many independent users (a Poisson process).
        case poisson
    }

    /// Calls a second, of this worker.
    private let rate: Double
    /// In seconds: the rate grows evenly from 0 within this time.
    private let ramp: Double
    private let arrivals: Arrivals
    /// The expected number of calls until the next one.
    private var place: Double
    /// In seconds, how much later than planned calls begin.
    private var delay = 0.0

    /// - Parameters:
    ///   - rate: calls a second, of all workers together
    ///   - share: the worker; even calls of several workers take turns
    init(rate: Double, ramp: Duration, arrivals: Arrivals, share: WorkerShare) {
        self.rate = rate / Double(share.count)
        self.ramp = ramp / .seconds(1)
        self.arrivals = arrivals
        place = Double(share.index) / Double(share.count)
    }

    /// The time from the start of the load to the next call.
    ///
    /// - Parameter random: a random number in 0 ..< 1, which only Poisson arrivals use
    mutating func next(random: @autoclosure () -> Double = Double.random(in: 0..<1)) -> Duration {
        if arrivals == .poisson { place += distance(random()) }
        let planned = time(of: place) + delay
        if arrivals == .even { place += 1 }
        return .seconds(planned)
    }

    /// The call that was planned last began so much later than ``next(random:)`` said.
    mutating func postpone(by late: Duration) { delay += max(0, late / .seconds(1)) }

    /// The distance to the next of independent arrivals.
    private func distance(_ random: Double) -> Double { -log(1 - random) }

    /// The time at which `expected` calls are expected, in seconds.
    private func time(of expected: Double) -> Double {
        let duringRamp = rate * ramp / 2
        guard expected < duringRamp else { return ramp + (expected - duringRamp) / rate }
        return (2 * expected * ramp / rate).squareRoot()
    }
}

/// Which of several worker processes one is, written `1/2` for the first of two.
struct WorkerShare: Equatable {
    /// From 0.
    let index: Int
    let count: Int

    /// The part of `number` that falls to this worker; the parts of all workers make up `number`.
    func part(of number: Int) -> Int { number / count + (index < number % count ? 1 : 0) }
}
