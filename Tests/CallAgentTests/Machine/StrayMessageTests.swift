import Testing

@testable import CallAgent

/// Messages that are late or repeated, belong to another peer connection, or have the wrong sender.
struct StrayMessageTests {
    @Test("A second answer to one offer is ignored")
    func secondAnswer() {
        var machine = CallMachine.hearsRinging().after(.received(.progress(sdp: "first")))
        #expect(machine.handle(.received(.progress(sdp: "second"))) == [.ignored("a second answer")])
        #expect(
            machine.handle(.received(.accept(sdp: "third"))) == [
                .ignored("a second answer"), .cancelTimer(.ring), .start(.connect, 10_000),
                .report(.connecting, .accepted, by: .peer),
            ], "but the accept counts")
        #expect(machine.handle(.received(.progress(sdp: "fourth"))).isNothing)
    }

    @Test("An answer is sent once, even if several are created")
    func answerMadeTwice() {
        var machine = CallMachine.ringing().after(.answerCreated(sdp: "first"))
        #expect(machine.handle(.answerCreated(sdp: "second")).isNothing)
        #expect(machine.handle(.accept).messages == [.accept(sdp: nil)])
        #expect(machine.handle(.answerCreated(sdp: "third")).isNothing)
    }

    @Test("Messages of another peer connection are dropped", arguments: [1, 7, 10_000])
    func otherGeneration(generation: Int) {
        let bodies: [SignalingMessage.Body] = [.progress(sdp: "x"), .accept(sdp: "x"), .aCandidate]
        for body in bodies {
            var machine = CallMachine.calling()
            #expect(machine.handle(.received(body, generation: generation)).isNothing)
            #expect(machine == .calling())
        }
        var callee = CallMachine.ringing()
        #expect(callee.handle(.received(.aCandidate, generation: generation)).isNothing)
    }

    @Test("A message that ends the call counts for every peer connection", arguments: [0, 1, 10_000])
    func farewellOfAnyGeneration(generation: Int) {
        for body in [SignalingMessage.Body.hangup(9900), .reject(603), .cancel(9900)] {
            var machine = body == .cancel(9900) ? CallMachine.ringing() : .hearsRinging()
            #expect(machine.handle(.received(body, generation: generation)).isEmpty == false)
            #expect(machine.state == .ended)
        }
    }

    @Test("Messages of an older peer connection are dropped")
    func olderGeneration() {
        var machine = CallMachine.connected(.caller)
        machine.current.number = 1
        #expect(machine.handle(.received(.aCandidate, generation: 0)).isNothing)
        #expect(machine.handle(.received(.aCandidate, generation: 1)) == [.addCandidate(.example, generation: 1)])
    }

    @Test("E3: a duplicated invite never changes a call back to ringing")
    func duplicatedInvite() {
        for state in [CallMachine.ringing(), .connecting(.callee), .connected(.callee)] {
            var machine = state
            #expect(machine.handle(.received(.anInvite)).isNothing)
            #expect(machine == state)
        }
    }

    @Test("A duplicated accept, ringing or reject changes nothing once the call was accepted")
    func duplicatesAtTheCaller() {
        let bodies: [SignalingMessage.Body] = [
            .ringing, .accept(sdp: nil), .accept(sdp: "x"), .reject(603), .reject(486),
        ]
        for body in bodies {
            for state in [CallMachine.connecting(.caller), .connected(.caller)] {
                var machine = state
                #expect(machine.handle(.received(body)).isNothing)
                #expect(machine == state)
            }
        }
    }

    @Test("E7: messages that only the other end may send change nothing")
    func wrongEnd() {
        for body in [SignalingMessage.Body.ringing, .progress(sdp: "x"), .accept(sdp: "x"), .reject(603)] {
            var callee = CallMachine.ringing()
            #expect(callee.handle(.received(body)).isNothing)
            #expect(callee == .ringing())
        }
        for body in [SignalingMessage.Body.anInvite, .cancel(9900)] {
            var caller = CallMachine.hearsRinging()
            #expect(caller.handle(.received(body)).isNothing)
            #expect(caller == .hearsRinging())
        }
    }

    @Test("An ended call ignores every event and sends nothing", arguments: CallRole.both)
    func afterTheEnd(role: CallRole) {
        let ended = CallMachine.connected(role).after(.hangUp)
        for event in EventKinds.all {
            var machine = ended
            #expect(machine.handle(event) == [])
            #expect(machine == ended)
        }
    }

    @Test("E9: the first frame of one call does not count for the next")
    func firstFrameIsOfOneCall() {
        _ = CallMachine.connected(.callee).after(.hangUp)
        var next = CallMachine.ringing().after(.answerCreated(sdp: "answer"))
        _ = next.handle(.accept)
        #expect(next.state == .connecting)
    }
}
