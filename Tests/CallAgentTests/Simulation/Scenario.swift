@testable import CallAgent

/// The users of a simulated run, their actions, and the faults.
struct Scenario {
    struct Member {
        var user: String
        var device: String
        var policy: EarlyMediaPolicy
        var media = CallMedia.audioVideo
    }

    var members: [Member] = []
    var limit = 1
    var actions: [(Int, Int, SimulatedWorld.Action)] = []
    var faults: [(Int, SimulatedWorld.Event)] = []
    var lossPercent = 0
    var duplicatePercent = 0
    var delayMs = 40
    var isMediaBroken = false
    /// No fault and no action happens after this time.
    let faultsUntilMs = 25_000
    /// By this time all timers have fired, and the last message has been repeated often enough.
    let endMs = 150_000

    init() {}

    init(random: inout SeededGenerator) {
        let users = ["a", "b", "c"].prefix(2 + random.below(2))
        for user in users {
            for device in ["1", "2", "3"].prefix(random.once(in: 3) ? 2 : 1) where members.count < 4 {
                members.append(
                    Member(
                        user: user, device: device, policy: random.element(of: EarlyMediaPolicy.allCases),
                        media: random.once(in: 3) ? .audioOnly : .audioVideo))
            }
        }
        limit = random.once(in: 4) ? 2 : 1
        lossPercent = random.once(in: 3) ? 0 : random.below(35)
        duplicatePercent = random.below(20)
        delayMs = random.element(of: [20, 200, 1_500])
        isMediaBroken = random.once(in: 12)
        planActions(&random)
        planFaults(&random)
    }

    private mutating func planActions(_ random: inout SeededGenerator) {
        let users = Set(members.map(\.user)).sorted()
        for _ in 0..<(1 + random.below(3)) {
            let caller = random.below(members.count)
            let others = users.filter { $0 != members[caller].user }
            let time = random.below(random.once(in: 2) ? 300 : 15_000)
            actions.append((time, caller, .call(random.element(of: others))))
        }
        for index in members.indices {
            if !random.once(in: 4) { act(index, random.below(8_000), .accept) }
            if random.once(in: 3) { act(index, random.below(20_000), .accept) }
            if random.once(in: 8) {
                act(index, random.below(8_000), .reject(code: random.element(of: [603, 486]), text: ""))
            }
            if random.once(in: 3) { act(index, random.below(25_000), .hangUp(text: "")) }
            if random.once(in: 3) { act(index, random.below(25_000), .hold) }
            if random.once(in: 3) { act(index, random.below(25_000), .unhold) }
            if random.once(in: 4) { act(index, random.below(25_000), .setSending(audio: .muted, video: .off)) }
            if random.once(in: 4) { act(index, random.below(25_000), .sendInfo("hello")) }
            if random.once(in: 2) {
                let wanted = random.element(of: [CallMedia.audioOnly, .audioVideo])
                act(index, random.below(25_000), .changeMedia(wanted))
            }
        }
    }

    private mutating func act(_ index: Int, _ time: Int, _ event: CallMachine.Event) {
        actions.append((time, index, .operate(event)))
    }

    private mutating func planFaults(_ random: inout SeededGenerator) {
        for index in members.indices {
            if random.once(in: 4) {
                let start = random.below(15_000)
                faults.append((start, .connection(agent: index, isUp: false)))
                faults.append((start + random.below(10_000), .connection(agent: index, isUp: true)))
            }
            if random.once(in: 6) {
                let audio = CaptureFault(medium: .audio, cause: .busy, text: "busy")
                let fact = random.element(of: [
                    MediaFact.trackFailed(.encoder), .captureFailed(.unplugged), .captureFailed(audio),
                ])
                faults.append((random.below(15_000), .fail(agent: index, fact)))
            }
            if random.once(in: 10) { faults.append((random.below(20_000), .crash(agent: index))) }
            if random.once(in: 4) {
                for _ in 0..<(1 + random.below(3)) {
                    faults.append((random.below(20_000), .network(agent: index, isNoticed: !random.once(in: 3))))
                }
            }
            if random.once(in: 8) { faults.append((random.below(20_000), .breakMedia(agent: index))) }
            if random.once(in: 8) {
                let start = random.below(15_000)
                faults.append((start, .interrupt(agent: index, isOver: false)))
                faults.append((start + random.below(10_000), .interrupt(agent: index, isOver: true)))
            }
        }
    }
}
