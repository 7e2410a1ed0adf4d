import Testing

@testable import CallAgent

/// Hold, unhold and double hold (A24).
struct HoldTests {
    private let held = MediaState(isHolding: true)
    private let closed = CallMachine.Effect.setGates(.init())

    @Test("Hold closes all gates and sends a message to the peer; unhold restores both")
    func holdAndUnhold() {
        var machine = CallMachine.connected(.caller)
        #expect(machine.handle(.hold) == [.send(.state(held)), closed, .notify(.holdChanged(.held))])
        #expect(machine.hold == .held)
        #expect(machine.state == .connected)
        #expect(machine.handle(.unhold) == [.send(.state(.init())), .openReceiveGates, .notify(.holdChanged(.none))])
        #expect(machine.hold == .none)
        #expect(machine.current == CallMachine.connected(.caller).current)
    }

    @Test("Remotely held: this end sends and shows nothing")
    func remotelyHeld() {
        var machine = CallMachine.connected(.callee)
        #expect(
            machine.handle(.received(.state(held))) == [
                closed, .notify(.peerMediaChanged(held)), .notify(.holdChanged(.remotelyHeld)),
            ])
        #expect(machine.hold == .remotelyHeld)
        #expect(machine.handle(.unhold).isNothing, "only the peer can end its own hold")
        #expect(machine.handle(.received(.state(.init()))).contains(.openReceiveGates))
        #expect(machine == .connected(.callee))
    }

    @Test("Double hold ends when both ends have unheld the call, in either order", arguments: [true, false])
    func doubleHold(isLocalFirst: Bool) {
        var machine = CallMachine.connected(.caller).after(.hold)
        #expect(machine.handle(.received(.state(held))).contains(.notify(.holdChanged(.both))))
        let unhold: [CallMachine.Event] = [.unhold, .received(.state(.init()))]
        let first = machine.handle(unhold[isLocalFirst ? 0 : 1])
        #expect(!first.contains { $0.opensReceiveGates || $0.opensSendGates })
        #expect(machine.hold == (isLocalFirst ? .remotelyHeld : .held))
        let last = machine.handle(unhold[isLocalFirst ? 1 : 0])
        #expect(last.contains(.openReceiveGates))
        #expect(machine.hold == .none)
    }

    @Test("A repeated state message changes nothing and causes no second event")
    func repeatedState() {
        var machine = CallMachine.connected(.caller).after(.received(.state(held)))
        let before = machine
        #expect(machine.handle(.received(.state(held))) == [])
        #expect(machine == before)
    }

    @Test("Hold and unhold keep what is muted or off")
    func keepsMute() {
        var machine = CallMachine.connected(.caller).after(.setSending(audio: .muted, video: .off), .hold)
        #expect(machine.sends == .init(audio: .muted, video: .off, isHolding: true))
        let effects = machine.handle(.unhold)
        #expect(effects.contains(.setGates(.init(audio: .blank, video: .off, isReceiving: true))))
    }

    @Test("A camera that is turned off during hold closes at once and stays closed")
    func offWhileHeld() {
        var machine = CallMachine.connected(.caller).after(.hold)
        #expect(
            machine.handle(.setSending(audio: nil, video: .off)) == [
                .send(.state(.init(video: .off, isHolding: true))), .setGates(.init(audio: .closed, video: .off)),
            ])
    }

    @Test("Only a connected call can be held, once; a held call can only be unheld or hung up")
    func refusals() {
        for machine in [
            CallMachine.calling(), .hearsRinging(), .ringing(), .connecting(.caller), .connecting(.callee), .offering(),
        ] {
            #expect(machine.refusal(of: .hold) != nil)
        }
        let held = CallMachine.connected(.caller).after(.hold)
        #expect(held.refusal(of: .hold) == "hold does not apply to a caller in connected, held")
        #expect(held.refusal(of: .changeMedia(.audioOnly)) != nil)
        #expect(held.refusal(of: .unhold) == nil)
        #expect(held.refusal(of: .hangUp) == nil)
        #expect(CallMachine.connected(.caller).refusal(of: .unhold) != nil)
        #expect(held.effects(of: .hangUp) == .end(.localHangup, by: .local, telling: .hangup(9900)))
    }

    @Test("An interrupted held call is still held after it resumes, and opens no gate")
    func interrupted() {
        var machine = CallMachine.connected(.caller).after(.hold, .interrupted)
        #expect(machine.state == .reconnecting)
        #expect(machine.refusal(of: .unhold) == nil)
        #expect(machine.handle(.resumed) == [.cancelTimer(.mediaLost), .report(.connected, .resumed, by: .peer)])
        #expect(machine.hold == .held)
    }
}
