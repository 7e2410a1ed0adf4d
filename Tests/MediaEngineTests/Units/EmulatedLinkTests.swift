import Testing

@testable import MediaEngine

/// The rules of an emulated network.
struct EmulatedLinkTests {
    private func conditions(_ change: (inout NetworkConditions) -> Void) -> NetworkConditions {
        var conditions = NetworkConditions()
        change(&conditions)
        return conditions
    }

    /// The arrivals of packets of this size, one each so many ms, in ms since they were sent.
    private func delays(
        _ conditions: NetworkConditions, count: Int = 20_000, bytes: Int = 972, everyMs: Double = 1
    ) -> [Double?] {
        var link = EmulatedLink(NetworkSchedule(conditions))
        var random = SeededGenerator(seed: 7)
        return (0..<count).map { number in
            let now = Duration.milliseconds(Double(number) * everyMs)
            return link.arrival(of: bytes, sentAt: now, using: &random).map { ($0 - now) / .milliseconds(1) }
        }
    }

    @Test("Without conditions every packet arrives at once")
    func nothing() { #expect(delays(NetworkConditions()).allSatisfy { $0 == 0 }) }

    @Test("A delay is the same for all; jitter is spread, and no packet overtakes another")
    func delay() {
        #expect(delays(conditions { $0.delayMs = 40 }).allSatisfy { $0 == 40 })
        let jitter = conditions { ($0.delayMs, $0.jitterMs) = (40, 30) }
        let spread = delays(jitter, everyMs: 50).compactMap(\.self)
        #expect(spread.count == 20_000 && spread.allSatisfy { (40...70).contains($0) })
        #expect((spread.min() ?? 0) < 45 && (spread.max() ?? 0) > 65)
        let arrivals = delays(jitter).enumerated().map { Double($0.offset) + ($0.element ?? 0) }
        for (one, next) in zip(arrivals, arrivals.dropFirst()) { #expect(one < next + 1e-6) }
    }

    @Test("The share of lost packets is as asked, alone and in bursts", arguments: [1.0, 4.0])
    func loss(_ burst: Double) {
        let fates = delays(conditions { ($0.lossPercent, $0.burst) = (10, burst) }, count: 200_000).map { $0 == nil }
        let lost = fates.count { $0 }
        #expect(abs(Double(lost) / 200_000 - 0.1) < 0.01)
        let bursts = zip([false] + fates, fates).count { !$0 && $1 }
        let length = Double(lost) / Double(bursts)
        // Of independent packets 10 % follow a lost one.
        #expect(abs(length - (burst > 1 ? burst : 1.11)) < 0.15)
        #expect(delays(conditions { $0.lossPercent = 100 }).allSatisfy { $0 == nil })
    }

    @Test("A limited rate lets packets wait, and loses what the queue does not hold")
    func rate() {
        // 1,000 bytes with headers take 8 ms at 1 Mbit/s; they come twice as fast.
        let delays = delays(conditions { ($0.bitrate, $0.queueMs) = (1_000_000, 100) }, count: 1_000, everyMs: 4)
        #expect(delays[0] == 8 && delays[1] == 12)
        let arrived = delays.compactMap(\.self)
        #expect((arrived.max() ?? 0) <= 108 && (arrived.last ?? 0) > 90)
        #expect(abs(arrived.count - 512) < 10)
        // A pause empties the queue.
        var link = EmulatedLink(NetworkSchedule(conditions { $0.bitrate = 1_000_000 }))
        var random = SeededGenerator(seed: 1)
        for _ in 0..<10 { _ = link.arrival(of: 972, sentAt: .zero, using: &random) }
        #expect(link.arrival(of: 972, sentAt: .seconds(1), using: &random) == .milliseconds(1_008))
    }

    @Test("Reordered packets arrive after later ones")
    func reordered() {
        let delays = delays(conditions { ($0.delayMs, $0.reorderedPercent) = (20, 5) })
        let late = delays.count { $0 == 20 + NetworkConditions.overtakenMs }
        #expect(delays.count { $0 == 20 } + late == delays.count)
        #expect(abs(Double(late) / Double(delays.count) - 0.05) < 0.01)
    }

    @Test("New conditions apply to what is sent from then on")
    func changed() {
        var link = EmulatedLink(NetworkSchedule(conditions { $0.delayMs = 100 }))
        var random = SeededGenerator(seed: 1)
        #expect(link.arrival(of: 100, sentAt: .zero, using: &random) == .milliseconds(100))
        link.follow(NetworkSchedule())
        // It does not overtake what is under way.
        #expect(link.arrival(of: 100, sentAt: .milliseconds(10), using: &random) == .milliseconds(100))
        #expect(link.arrival(of: 100, sentAt: .milliseconds(200), using: &random) == .milliseconds(200))
    }

    @Test("Values that cannot be used are named, and count as the nearest ones that can")
    func limits() {
        for change: (inout NetworkConditions) -> Void in [
            { $0.delayMs = -1 }, { $0.delayMs = .nan }, { $0.jitterMs = .infinity }, { $0.lossPercent = 101 },
            { $0.burst = 0 }, { $0.reorderedPercent = -0.1 }, { $0.bitrate = 0 }, { $0.bitrate = .nan },
            { $0.queueMs = .infinity },
        ] {
            let conditions = conditions(change)
            #expect(conditions.complaint != nil && conditions.clamped.complaint == nil)
            _ = delays(conditions, count: 100)
            #expect(NetworkEmulator(conditions).conditions == conditions.clamped)
        }
        for (_, known) in NetworkSchedule.known {
            #expect(known.complaint == nil)
            for conditions in [known.conditions] + known.changes.map(\.conditions) {
                #expect(conditions.clamped == conditions)
            }
        }
        #expect(NetworkSchedule(named: "lte")?.conditions.bitrate == 8_000_000 && NetworkSchedule(named: "5g") == nil)
        let change = { (seconds: Int) in
            NetworkSchedule.Change(after: .seconds(seconds), conditions: NetworkConditions())
        }
        for times in [[0], [2, 1], [1, 1], [-1]] {
            let schedule = NetworkSchedule(then: times.map(change))
            #expect(schedule.complaint == "each change is later than the one before")
        }
        let broken = NetworkSchedule(then: [.init(after: .seconds(1), conditions: conditions { $0.bitrate = 0 })])
        #expect(broken.complaint == "a rate is 1 kbit/s to 100 Gbit/s")
    }

    @Test("Conditions change as planned from the first packet on, until others are set")
    func schedule() {
        var random = SystemRandomNumberGenerator()
        let losing = conditions { $0.lossPercent = 100 }
        let schedule = NetworkSchedule(then: [
            .init(after: .seconds(1), conditions: losing), .init(after: .seconds(2), conditions: NetworkConditions()),
        ])
        var link = EmulatedLink(schedule)
        func isLost(at seconds: Double) -> Bool {
            link.arrival(of: 100, sentAt: .seconds(seconds), using: &random) == nil
        }
        #expect(!isLost(at: 5), "the first packet begins the time")
        #expect(!isLost(at: 5.999))
        #expect(isLost(at: 6))
        #expect(isLost(at: 6.999))
        #expect(!isLost(at: 7))
        link.follow(schedule)
        #expect(!isLost(at: 8))
        #expect(!isLost(at: 11), "both changes are due")
        link.follow(NetworkSchedule(losing))
        #expect(isLost(at: 12) && isLost(at: 20), "no change is left")
    }

    @Test("What an emulator delays arrives complete and in order, also when the conditions change meanwhile")
    func emulator() async throws {
        let emulator = NetworkEmulator(conditions { ($0.delayMs, $0.jitterMs) = (30, 20) })
        let arrived = Shared<[Int]>([])
        let start = ContinuousClock.now
        for number in 0..<2_000 {
            if number == 1_000 { emulator.conditions = NetworkConditions() }
            emulator.pass(100) { isLost in arrived.update { if !isLost { $0.append(number) } } }
        }
        try await eventually("all arrived") { arrived.value.count == 2_000 }
        #expect(arrived.value == Array(0..<2_000))
        #expect(ContinuousClock.now - start >= .milliseconds(30))
        emulator.conditions.lossPercent = 100
        let lost = Shared(false)
        emulator.pass(100) { isLost in lost.set(isLost) }
        #expect(lost.value)
    }
}
