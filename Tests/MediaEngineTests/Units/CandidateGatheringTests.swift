import Testing

@testable import MediaEngine

@Suite("The wait for candidates") struct CandidateGatheringTests {
    private let host = IceCandidate(mLine: 0, candidate: "candidate:1 1 UDP 1 127.0.0.1 9 typ host")
    private let relay = IceCandidate(
        mLine: 0, candidate: "candidate:2 1 UDP 1 127.0.0.1 9 typ relay raddr 0.0.0.0 rport 0")

    @Test("The end of candidates ends the wait, with all of them")
    func all() async {
        let gathering = CandidateGathering()
        for candidate in [host, relay, .endOfCandidates] { gathering.note(candidate) }
        let (candidates, outcome) = await gathering.collect(timeout: .zero)
        #expect(candidates == [host, relay] && outcome == .complete)
    }

    @Test("From half of the timeout on, one relay candidate is enough, early or late")
    func oneRelay() async {
        for isEarly in [true, false] {
            let gathering = CandidateGathering()
            gathering.note(host)
            if isEarly { gathering.note(relay) }
            gathering.reachHalfTime()
            if !isEarly { gathering.note(relay) }
            let (candidates, outcome) = await gathering.collect(timeout: .zero)
            #expect(candidates == [host, relay] && outcome == .oneRelay)
        }
    }

    @Test("Without a relay candidate the timeout ends the wait, and closing ends it at once")
    func noRelay() async {
        let gathering = CandidateGathering()
        gathering.note(host)
        let (candidates, outcome) = await gathering.collect(timeout: .milliseconds(20))
        #expect(candidates == [host] && outcome == .noRelay)
        let other = CandidateGathering()
        other.abandon()
        #expect(await other.collect(timeout: .zero).outcome == .noRelay)
    }
}
