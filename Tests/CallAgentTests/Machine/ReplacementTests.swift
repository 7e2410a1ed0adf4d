import Testing

@testable import CallAgent

/// The connection of a connected call fails at one end, so that only another connection helps.
struct ReplacementTests {
    private let failure = CallMachine.Event.mediaFailed(.other(text: "dtlsdec"))
    private let warning = CallMachine.Effect.notify(
        .mediaWarning(text: "another connection replaces the one that failed: dtlsdec"))
    private let offer = SignalingMessage.Offer(media: .audioVideo, sdp: "offer1")

    @Test("The caller offers another one with the same media; the call goes on when both ends have committed")
    func byCaller() {
        var machine = CallMachine.connected(.caller)
        #expect(
            machine.handle(failure) == [
                .createOffer(.audioVideo, generation: 1), .start(.change, 10_000), .start(.mediaLost, 30_000),
                .setGates(.init(audio: .live, video: .live), generation: 1), warning,
                .report(.init(state: .reconnecting, reason: .interrupted, by: .local)),
            ])
        machine = machine.after(
            .media(.offerCreated(sdp: "offer1"), generation: 1), .received(.answer(sdp: "answer1"), generation: 1),
            .media(.verified, generation: 1))
        let shown = machine.handle(.media(.firstVideoFrame, generation: 1))
        #expect(shown.messages == [.commit])
        #expect(machine.state == .connected, "it is shown as soon as it is there")
        #expect(
            machine.handle(.received(.commit, generation: 1)) == [
                .close(generation: 0), .cancelTimer(.change), .notify(.mediaChanged(.audioVideo)),
            ])
        #expect(machine.current.failure == nil && machine.media == .audioVideo)
    }

    @Test("The callee asks for it, in the generation that failed")
    func byCallee() {
        var callee = CallMachine.connected(.callee)
        #expect(callee.handle(failure).messages == [.renegotiate(.audioVideo)])
        #expect(callee.state == .reconnecting)
        var caller = CallMachine.connected(.caller)
        let asked = CallMachine.Event.received(.renegotiate(.audioVideo))
        #expect(caller.handle(asked).contains(.createOffer(.audioVideo, generation: 1)))
        #expect(caller.state == .connected, "its own end has not failed")
        #expect(caller.handle(asked).isNothing, "one at a time")
        callee = callee.after(
            .received(.offer(offer), generation: 1), .media(.answerCreated(sdp: "answer1"), generation: 1),
            .media(.verified, generation: 1), .media(.firstVideoFrame, generation: 1), .received(.commit, generation: 1)
        )
        #expect(callee.state == .connected && callee.current.number == 1)
        caller = caller.after(
            .media(.offerCreated(sdp: "offer1"), generation: 1), .received(.answer(sdp: "answer1"), generation: 1),
            .media(.firstVideoFrame, generation: 1), .received(.commit, generation: 1))
        #expect(caller.current.number == 1)
        #expect(caller.handle(asked).isNothing, "that generation is gone")
    }

    @Test("It is also made while the call is held, and the hold stays", arguments: CallRole.both)
    func held(role: CallRole) {
        var machine = CallMachine.connected(role).after(.hold)
        let wanted = role == .caller ? CallMachine.Effect.createOffer(.audioVideo, generation: 1) : nil
        let effects = machine.handle(failure)
        #expect(effects.messages == (role == .caller ? [] : [.renegotiate(.audioVideo)]))
        if let wanted { #expect(effects.contains(wanted)) }
        #expect(machine.hold == .held)
        // Nobody sends anything during a hold: a verified transport is enough.
        for hold in [
            [.hold], [.received(.state(.init(isHolding: true)))], [.hold, .received(.state(.init(isHolding: true)))],
        ]
            as [[CallMachine.Event]]
        {
            var next = hold.reduce(CallMachine.connected(role)) { $0.after($1) }.after(failure)
            let before = next.hold
            next =
                role == .caller
                ? next.after(
                    .media(.offerCreated(sdp: "offer1"), generation: 1),
                    .received(.answer(sdp: "answer1"), generation: 1))
                : next.after(
                    .received(.offer(offer), generation: 1), .media(.answerCreated(sdp: "answer1"), generation: 1))
            #expect(next.handle(.media(.verified, generation: 1)).messages == [.commit])
            next = next.after(.received(.commit, generation: 1))
            #expect(next.current.number == 1 && next.state == .connected && next.hold == before)
        }
        let other = CallMachine.connected(.caller).after(.received(.state(.init(isHolding: true))))
        #expect(
            other.effects(of: .received(.renegotiate(.audioVideo))).contains(.createOffer(.audioVideo, generation: 1)))
        #expect(other.effects(of: .received(.renegotiate(.audioOnly))).isNothing, "other media have to wait")
    }

    @Test("A failure during a change: the connection that is coming anyway replaces it")
    func duringChange() {
        var machine = CallMachine.offering()
        let effects = machine.handle(failure)
        #expect(effects.messages == [] && effects.contains(warning))
        #expect(machine.state == .reconnecting)
        let asking = CallMachine.connected(.callee, .audioOnly).after(.changeMedia(.audioVideo))
        #expect(asking.effects(of: failure).messages == [.renegotiate(.audioOnly)], "the caller may have ignored it")
        // This end has left the connection that fails: it does not matter any more.
        let left = CallMachine.committed(.callee).after(.received(.gone), .timerFired(.peerGone))
        #expect(left.after(failure).state == .connected && left.effects(of: failure).messages == [])
    }

    @Test("If the other connection fails, too, or does not come, the call ends: there is nothing to go back to")
    func inVain() {
        let offering = CallMachine.connected(.caller).after(
            failure, .media(.offerCreated(sdp: "offer1"), generation: 1))
        let asking = CallMachine.connected(.callee).after(failure)
        let ends: [(CallMachine, CallMachine.Event)] = [
            (offering, .media(.failed(.other(text: "again")), generation: 1)), (offering, .timerFired(.change)),
            (offering, .received(.rollback, generation: 1)), (asking, .timerFired(.change)),
            (asking, .received(.rollback, generation: 0)),
        ]
        for (machine, event) in ends {
            var machine = machine
            #expect(machine.handle(event) == .end(.mediaFailed, by: .local, telling: .hangup(9906)), "\(event)")
            #expect(machine.end?.text == "dtlsdec")
        }
    }

    @Test("A caller that makes none says so, and the callee need not wait; its call goes on as before")
    func refused() {
        var callee = CallMachine.connected(.callee, .audioOnly).after(.changeMedia(.audioVideo))
        #expect(callee.effects(of: .received(.rollback, generation: 1)).isNothing, "another generation")
        #expect(
            callee.handle(.received(.rollback, generation: 0)) == [
                .cancelTimer(.change), .notify(.mediaChangeFailed(text: "the caller makes no other connection")),
            ])
        #expect(callee.media == .audioOnly && !callee.isAskingForMedia)
    }

    @Test("A connection that failed stays so, and no other network path is looked for", arguments: CallRole.both)
    func stays(role: CallRole) {
        let machine = CallMachine.connected(role).after(failure)
        #expect(machine.after(.resumed).state == .reconnecting)
        #expect(machine.effects(of: failure).isNothing)
        for event in [CallMachine.Event.media(.networkChanged, generation: 0), .media(.pathSilent, generation: 0)] {
            #expect(!machine.effects(of: event).contains(.restartIce(1, generation: 0)))
        }
        let parameters = SignalingMessage.IceParameters(
            restart: 1, fragment: "u8Le", password: "k1A2b3C4d5E6f7G8h9I0j1")
        #expect(machine.effects(of: .received(.iceRestart(parameters))).isNothing)
    }

    @Test("The search for a path of the connection that failed is over")
    func search() {
        let machine = CallMachine.connected(.caller).after(.media(.pathSilent, generation: 0))
        #expect(machine.current.restart.isRunning)
        let effects = machine.effects(of: failure)
        #expect(effects.contains(.notify(.networkChangeEnded(nil))) && effects.contains(.cancelTimer(.iceRestart)))
    }

    @Test("The call ends if it is not connected, if the peer is gone, or if too many connections have failed")
    func ends() {
        #expect(CallMachine.connecting(.caller).after(failure).end?.reason == .mediaFailed)
        let gone = CallMachine.connected(.caller).after(.received(.gone), .timerFired(.peerGone))
        #expect(gone.state == .connected)
        #expect(gone.after(failure).end?.reason == .mediaFailed)
        var machine = CallMachine.connected(.caller)
        for number in 1...CallMachine.maximumReplacements {
            machine = machine.after(
                .media(.failed(.other(text: "x")), generation: number - 1),
                .media(.offerCreated(sdp: "offer"), generation: number),
                .received(.answer(sdp: "answer"), generation: number), .media(.verified, generation: number),
                .media(.firstVideoFrame, generation: number), .received(.commit, generation: number))
            #expect(machine.state == .connected && machine.current.number == number)
        }
        #expect(machine.after(.media(.failed(.other(text: "x")), generation: 8)).end?.reason == .mediaFailed)
    }

    @Test("One cause may be reported several times; the last replacement goes on all the same")
    func repeated() {
        var machine = CallMachine.connected(.caller)
        machine.replacements = CallMachine.maximumReplacements - 1
        machine = machine.after(failure)
        #expect(machine.after(failure, failure).state == .reconnecting)
        // Silence before it does not shorten the time that the new connection has.
        let silent = CallMachine.connected(.callee).after(.interrupted)
        #expect(silent.effects(of: failure).contains(.start(.mediaLost, 30_000)))
    }

    @Test("Both ends fail: one other connection replaces both", arguments: CallRole.both)
    func both(first: CallRole) {
        let caller = CallMachine.connected(.caller).after(failure)
        #expect(caller.effects(of: .received(.renegotiate(.audioVideo))).isNothing)
        let callee = CallMachine.connected(.callee).after(failure)
        #expect(
            callee.effects(of: .received(.offer(offer), generation: 1))
                .contains(.createAnswer(offer: "offer1", .audioVideo, generation: 1)))
    }
}
