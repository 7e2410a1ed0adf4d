import Testing

@testable import CallProtocol
@testable import MQTTSignaling

/// How the members of a pool share calls, without a broker.
struct PoolRulesTests {
    private let call = CallKey(peer: "alice", callId: "c1")

    private func member(_ number: Int) -> Device { Device(user: "support", device: "m\(number)") }

    private func note(isFree: Bool?) -> PresenceNote {
        var note = PresenceNote(session: "s", number: 1, sinceUnixMs: 0, sentUnixMs: 0, validForMs: 60_000)
        note.free = isFree
        return note
    }

    /// The first member, which knows the others.
    private func pool(_ availability: [Bool?], own: Int = 0) -> Pool {
        var pool = Pool(member(own))
        for (number, isFree) in availability.enumerated() {
            pool.take(note(isFree: isFree), of: member(number), isRetained: false, at: 0, unixMs: 0)
        }
        return pool
    }

    /// A message of the agent to the caller.
    private func answer(_ body: SignalingMessage.Body, callId: String = "c1") -> SignalingMessage {
        SignalingMessage(id: "x", callId: callId, from: "support", to: "alice", sentUnixMs: 0, body: body)
    }

    private var busy: SignalingMessage { answer(.reject(.init(code: 486, text: "busy"))) }

    @Test func anAcknowledgementWaitsUntilTheAgentKeepsTheCall() {
        var pool = pool([true, true])
        #expect(pool.receive(invite: "i", of: call, isForEach: false) == .take)
        #expect(pool.has(call))
        #expect(pool.send(answer(.ack("a1")), "ack") == .hold)
        #expect(pool.send(answer(.ringing), "ringing") == .send(after: ["ack"]))
        #expect(pool.send(answer(.ack("a2")), "ack 2") == .send(after: []))
        // A call that rang is refused by this member itself.
        #expect(pool.send(busy, "busy") == .send(after: []))
        #expect(pool.isFree == true)
    }

    @Test func anAcknowledgementDoesNotWaitForASlowDecision() {
        var pool = pool([true, true])
        #expect(pool.acknowledge(call) == [])
        _ = pool.receive(invite: "i", of: call, isForEach: false)
        _ = pool.send(answer(.ack("a1")), "ack")
        #expect(pool.acknowledge(call) == ["ack"] && pool.acknowledge(call) == [])
        #expect(pool.send(answer(.ack("a1")), "again") == .send(after: []))
        #expect(pool.send(busy, "busy") == .passOn(.to(member(1), invite: "i")))
    }

    @Test func aBusyMemberPassesAnInviteOnUntilNobodyIsFree() {
        // The third is busy, the fourth is no member of the pool.
        var pool = pool([true, true, false, nil])
        _ = pool.receive(invite: "i", of: call, isForEach: false)
        _ = pool.send(answer(.ack("a1")), "ack")
        #expect(pool.send(busy, "busy") == .passOn(.to(member(1), invite: "i")))
        #expect(pool.isFree == false && !pool.has(call))
        // Repetitions of the agent, and of the caller, to whom nobody has acknowledged the invite.
        #expect(pool.send(busy, "busy") == .hold)
        pool.take(note(isFree: true), of: member(2), isRetained: false, at: 0, unixMs: 0)
        #expect(pool.receive(invite: "i", of: call, isForEach: false) == .passOn(.to(member(2), invite: "i")))
        #expect(pool.passOnAgain(call) == .refuse(after: ["ack"], refusal: "busy"))
        // The caller has the refusal, and the agent answers the rest.
        #expect(pool.passOnAgain(call) == nil && pool.has(call))
        #expect(pool.receive(invite: "i", of: call, isForEach: false) == .take)
    }

    @Test func anInviteDoesNotGoBackToWhoPassedItOn() {
        // The note of the second says that it is free; a newer one is under way.
        var pool = pool([true, true])
        #expect(pool.receive(invite: "i", of: call, isForEach: false, passedOnBy: member(1)) == .take)
        _ = pool.send(answer(.ack("a1")), "ack")
        #expect(pool.send(busy, "busy") == .passOn(.refuse(after: ["ack"], refusal: "busy")))
    }

    @Test func busyIsTheAnswerOnlyWhenAllAreBusy() {
        var pool = pool([true, false])
        _ = pool.receive(invite: "i", of: call, isForEach: false)
        _ = pool.send(answer(.ack("a1")), "ack")
        #expect(pool.send(busy, "busy") == .passOn(.refuse(after: ["ack"], refusal: "busy")))
        var alone = Pool(member(0))
        _ = alone.receive(invite: "i", of: call, isForEach: false)
        #expect(alone.send(busy, "busy") == .passOn(.refuse(after: [], refusal: "busy")))
        // Other refusals are the member's own.
        _ = alone.receive(invite: "i", of: CallKey(peer: "alice", callId: "c2"), isForEach: false)
        let declined = answer(.reject(.init(code: 603, text: "")), callId: "c2")
        #expect(alone.send(declined, "declined") == .send(after: []))
    }

    @Test func aMemberIsFreeAgainWhenOneOfItsCallsEnds() {
        var pool = pool([true, true])
        _ = pool.receive(invite: "i", of: call, isForEach: false)
        _ = pool.send(answer(.ringing), "ringing")
        let second = CallKey(peer: "alice", callId: "c2")
        _ = pool.receive(invite: "i", of: second, isForEach: false)
        _ = pool.send(answer(.reject(.init(code: 486, text: "")), callId: "c2"), "busy")
        #expect(pool.isFree == false)
        pool.ended(second)
        #expect(pool.isFree == false)
        pool.ended(call)
        #expect(pool.isFree == true)
        _ = pool.receive(invite: "i", of: CallKey(peer: "alice", callId: "c3"), isForEach: false)
        _ = pool.send(answer(.reject(.init(code: 486, text: "")), callId: "c3"), "busy")
        _ = pool.send(answer(.hangup(.init(code: 9900, text: ""))), "hangup")
        #expect(pool.isFree == true)
    }

    @Test func aMemberThatLeavesPassesOnWhatStillArrives() {
        var pool = pool([true, true])
        pool.leave()
        pool.renew(at: 1)
        #expect(pool.isFree == nil)
        #expect(pool.receive(invite: "i", of: call, isForEach: true) == .ignore)
        #expect(pool.receive(invite: "i", of: call, isForEach: false) == .take)
        #expect(pool.send(busy, "busy") == .passOn(.to(member(1), invite: "i")))
        #expect(pool.isFree == nil)
    }

    @Test func membersThatVanishAreForgotten() {
        var pool = pool([true, true])
        pool.doubt(until: 10)
        pool.take(note(isFree: true), of: member(0), isRetained: false, at: 5, unixMs: 5)
        pool.renew(at: 11)
        _ = pool.receive(invite: "i", of: call, isForEach: false)
        #expect(pool.send(busy, "busy") == .passOn(.refuse(after: [], refusal: "busy")))
    }

    // MARK: Without a broker that distributes

    @Test func aMemberThatConnectsGetsTheNotesOfTheOthers() async throws {
        let membership = PoolMembership(MQTTAccount(try MQTTAddress("mqtt://127.0.0.1"), member(0)))
        var first = note(isFree: true)
        first.first = true
        func isAnswered(_ note: PresenceNote, of device: Device, isRetained: Bool = false) -> Bool {
            membership.take(note, of: device, isRetained: isRetained, at: 0, unixMs: 0)
        }
        #expect(!isAnswered(note(isFree: true), of: member(1)))
        #expect(!isAnswered(first, of: member(1), isRetained: true))
        #expect(!isAnswered(first, of: member(0)))
        #expect(!isAnswered(first, of: Device(user: "alice", device: "main")))
        #expect(isAnswered(first, of: member(1)))
        // One answer is for all that come meanwhile.
        #expect(!isAnswered(first, of: member(2)))
        await membership.pauseBeforeAnswer()
        #expect(isAnswered(first, of: member(1)))
        await membership.pauseBeforeAnswer()
        membership.leave(nil)
        #expect(!isAnswered(first, of: member(1)))
    }

    /// Which members take the copies of an invite that all of them get.
    private func takers(_ pools: inout [Pool], _ call: CallKey) -> [Int] {
        pools.indices.filter { pools[$0].receive(invite: "i", of: call, isForEach: true) == .take }
    }

    @Test func eachCopyOfAnInviteIsForOneMember() {
        let availability = [true, true, false, true, nil]
        var pools = (0..<4).map { pool(availability, own: $0) }
        _ = pools[2].receive(invite: "i", of: call, isForEach: false)
        _ = pools[2].send(busy, "busy")
        var counts = [0, 0, 0, 0]
        for number in 0..<3_000 {
            let takers = self.takers(&pools, CallKey(peer: "alice", callId: "d\(number)"))
            guard takers.count == 1 else {
                Issue.record("\(number): \(takers)")
                return
            }
            counts[takers[0]] += 1
        }
        // Free members share the calls evenly.
        #expect(counts[2] == 0)
        for free in [0, 1, 3] { #expect((800...1_200).contains(counts[free]), "\(counts)") }
    }

    @Test func repeatedInvitesReachEveryMember() {
        var pools = (0..<3).map { pool([true, true, true], own: $0) }
        for number in 0..<50 {
            let call = CallKey(peer: "alice", callId: "c\(number)")
            let takers = (0..<3).map { _ in self.takers(&pools, call) }
            #expect(takers.allSatisfy { $0.count == 1 } && Set(takers.joined()).count == 3, "\(takers)")
            #expect(pools.allSatisfy { $0.has(call) })
        }
    }

    @Test func callsAreForgottenBeyondTheLimit() {
        var pool = pool([true])
        for number in 0...Pool.maximumCalls {
            _ = pool.receive(invite: "i", of: CallKey(peer: "alice", callId: "c\(number)"), isForEach: false)
        }
        #expect(!pool.has(CallKey(peer: "alice", callId: "c0")))
        #expect(pool.has(CallKey(peer: "alice", callId: "c1")))
    }
}
