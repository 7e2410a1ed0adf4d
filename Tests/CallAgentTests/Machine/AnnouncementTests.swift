import CallProtocol
import Testing

@testable import CallAgent

/// What the peer sends by what both ends reported.
@Suite struct AnnouncementTests {
    @Test("Off comes before hold, hold before muted, as in this end's own gates")
    func peersWord() {
        let off = MediaState(audio: .off, video: .on)
        for (state, gates) in [
            (MediaState(), MediaGates(audio: .live, video: .live)),
            (MediaState(audio: .muted, video: .on), MediaGates(audio: .blank, video: .live)),
            (off, MediaGates(audio: .off, video: .live)),
            (MediaState(audio: .muted, video: .off, isHolding: true), MediaGates(audio: .closed, video: .off)),
        ] {
            let machine = CallMachine.connected(.callee).after(.received(.state(state)))
            #expect(machine.announced(knowsHold: false) == gates)
        }
    }

    @Test("This end's hold binds the peer once the peer knows it, and the end of the call binds nobody")
    func ownHold() {
        var machine = CallMachine.connected(.caller).after(.hold)
        #expect(machine.announced(knowsHold: false) == MediaGates(audio: .live, video: .live))
        #expect(machine.announced(knowsHold: true) == MediaGates(audio: .closed, video: .closed))
        _ = machine.handle(.unhold)
        #expect(machine.announced(knowsHold: true) == MediaGates(audio: .live, video: .live))
        _ = machine.handle(.received(.state(.nothing)))
        _ = machine.handle(.hangUp(text: ""))
        #expect(machine.announced(knowsHold: true) == MediaGates(audio: .live, video: .live))
    }

    @Test("A message is as late as it is slower than the fastest one, whatever the clocks say")
    func lateness() {
        for offset in [0.0, -5e12, 3_600_000, 1e15] {
            var lateness = MessageLateness()
            func late(_ sent: Double, _ received: Double) -> Duration {
                lateness.note(sentUnixMs: sent + offset, receivedUnixMs: received)
            }
            #expect(late(1_000, 1_300) == .zero)
            #expect(late(2_000, 2_050) == .zero)
            #expect(late(3_000, 13_050) == .seconds(10))
            #expect(late(4_000, 4_060) == .milliseconds(10))
        }
    }

    @Test("No time of a peer is too strange", arguments: [Double.greatestFiniteMagnitude, .infinity, .nan, -1, 0])
    func strangeTimes(sent: Double) {
        var lateness = MessageLateness()
        #expect(lateness.note(sentUnixMs: sent, receivedUnixMs: 1e12) == .zero)
        let next = lateness.note(sentUnixMs: 0, receivedUnixMs: 1e12)
        #expect(next >= .zero && next <= MessageLateness.maximum)
    }
}
