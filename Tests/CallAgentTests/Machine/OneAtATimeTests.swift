import Testing

@testable import CallAgent

/// One operation at a time, refusals with a reason, messages of the application, and calls that the peer does not know any more.
struct OneAtATimeTests {
    @Test("A25: during a media change conflicting operations are refused, and the refusal names the change")
    func duringAChange() {
        for machine in [
            CallMachine.offering(), .answering(), .committed(.caller),
            CallMachine.connected(.callee, .audioOnly).after(.changeMedia(.audioVideo)),
        ] {
            for operation in [
                CallMachine.Event.hold, .changeMedia(.audioOnly), .changeMedia(.audioVideo), .accept, .place, .decline,
            ] {
                let text = machine.refusal(of: operation)
                #expect(text?.hasSuffix("in connected, while its media change") == true, "\(text ?? "nil")")
                #expect(machine.effects(of: operation).isNothing)
            }
            for operation in [CallMachine.Event.hangUp, .sendInfo("x"), .setSending(audio: .muted, video: nil)] {
                #expect(machine.refusal(of: operation) == nil)
            }
        }
    }

    @Test(
        "Which operations are refused in which state",
        arguments: [
            (
                CallMachine(role: .caller, media: .audioVideo),
                [CallMachine.Event.accept, .decline, .hold, .sendInfo("x")]
            ),
            (.calling(), [.place, .accept, .decline, .hold, .unhold, .changeMedia(.audioOnly)]),
            (.hearsRinging(), [.place, .accept, .decline, .hold, .unhold, .changeMedia(.audioOnly)]),
            (.ringing(), [.place, .hold, .unhold, .changeMedia(.audioOnly)]),
            (.connecting(.callee), [.place, .accept, .decline, .hold, .unhold, .changeMedia(.audioOnly)]),
            (.connected(.callee), [.place, .accept, .decline, .unhold]),
        ])
    func refusals(machine: CallMachine, operations: [CallMachine.Event]) {
        for operation in operations {
            #expect(machine.refusal(of: operation)?.isEmpty == false, "\(operation)")
            #expect(machine.effects(of: operation).isNothing)
        }
    }

    @Test("A18: messages of the application go both ways after the invite, and none before")
    func info() {
        #expect(CallMachine(role: .caller, media: .audioVideo).after(.place).refusal(of: .sendInfo("x")) != nil)
        for machine in [CallMachine.calling(), .hearsRinging(), .ringing(), .connecting(.caller), .connected(.callee)] {
            #expect(machine.effects(of: .sendInfo("hello")).messages == [.info("hello")])
            #expect(machine.effects(of: .received(.info("hi"))) == [.notify(.info("hi"))])
        }
        #expect(CallMachine(role: .callee, media: .audioVideo).effects(of: .received(.info("hi"))).isNothing)
    }

    // MARK: Query of the peer's state (A34)

    @Test("A call is queried after its invite was sent, and not before")
    func audit() {
        for machine in [CallMachine.hearsRinging(), .ringing(), .connecting(.caller), .connected(.callee)] {
            #expect(machine.effects(of: .audit).messages == [.query])
            #expect(machine.effects(of: .signalingRestored).messages == [.query], "and when signaling is restored")
        }
        for machine in [CallMachine(role: .caller, media: .audioVideo), .calling()] {
            #expect(machine.effects(of: .audit).isEmpty)
            #expect(machine.effects(of: .signalingRestored) == [.notify(.signalingRestored)])
        }
    }

    @Test("A query is answered with the state, and the answer changes nothing")
    func query() {
        for machine in [CallMachine.hearsRinging(), .ringing(), .connecting(.caller), .connected(.callee)] {
            #expect(machine.effects(of: .received(.query)) == [.send(.status(machine.state))])
            for state in CallState.allCases {
                #expect(machine.after(.received(.status(state))) == machine)
            }
        }
    }

    @Test(
        "U11: error 481 (no such call) ends the call",
        arguments: [
            CallMachine.hearsRinging(), .ringing(), .connecting(.caller), .connecting(.callee), .connected(.caller),
            .connected(.callee).after(.interrupted),
        ])
    func unknownCall(machine: CallMachine) {
        var machine = machine
        #expect(machine.handle(.received(.error(481, "no such call"))) == .end(.unknownCall, by: .peer))
        #expect(machine.end == CallEnd(reason: .unknownCall, code: 481, text: "no such call", by: .peer))
    }

    @Test("Lost signaling is reported and does not end the call")
    func signalingLost() {
        for machine in [CallMachine.calling(), .hearsRinging(), .ringing(), .connected(.caller)] {
            #expect(machine.effects(of: .signalingLost) == [.notify(.signalingLost)])
        }
    }
}
