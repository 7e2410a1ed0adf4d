import Testing

@testable import CallAgent

/// The search for another network path.
struct PathTests {
    private static let parameters = SignalingMessage.IceParameters.example

    private static func parameters(_ restart: Int) -> SignalingMessage.IceParameters {
        .init(restart: restart, fragment: "frag", password: String(repeating: "p", count: 22))
    }

    private static func change(_ restart: Int) -> NetworkPathChange {
        var change = NetworkPathChange.example
        change.restart = restart
        return change
    }

    @Test("A network change sends parameters, takes the peer's and ends with the new path", arguments: CallRole.both)
    func wholeSearch(role: CallRole) {
        var machine = CallMachine.connected(role)
        #expect(
            machine.handle(.media(.networkChanged, generation: 0)) == [
                .restartIce(1), .start(.iceRestart, 3_000), .notify(.networkChangeStarted(by: .local)),
            ])
        #expect(
            machine.handle(.media(.iceParameters(Self.parameters), generation: 0)) == [
                .send(.iceRestart(Self.parameters))
            ])
        #expect(machine.handle(.received(.iceRestart(Self.parameters))) == [.setIceParameters(Self.parameters)])
        #expect(
            machine.handle(.media(.pathChanged(.example), generation: 0)) == [
                .cancelTimer(.iceRestart), .notify(.networkChangeEnded(.example)),
            ])
        #expect(machine.state == .connected)
    }

    @Test("A search of the peer is answered with the same number, once")
    func peerBegins() {
        var machine = CallMachine.connected(.callee)
        #expect(
            machine.handle(.received(.iceRestart(Self.parameters(3)))) == [
                .restartIce(3), .start(.iceRestart, 3_000), .setIceParameters(Self.parameters(3)),
                .notify(.networkChangeStarted(by: .peer)),
            ])
        for old in [3, 2, 1] { #expect(machine.handle(.received(.iceRestart(Self.parameters(old)))).isNothing) }
        // A path of an earlier number is of no use.
        #expect(machine.handle(.media(.pathChanged(Self.change(1)), generation: 0)).isNothing)
        #expect(machine.current.restart.isRunning)
    }

    @Test("A peer cannot use up the numbers")
    func tooFarAhead() {
        var machine = CallMachine.connected(.callee)
        #expect(machine.handle(.received(.iceRestart(Self.parameters(65)))).isNothing)
        #expect(!machine.handle(.received(.iceRestart(Self.parameters(64)))).isNothing)
    }

    @Test("Before the accept nothing is sent; the search begins with the accept")
    func ringing() {
        var machine = CallMachine.ringing().after(.answerCreated(sdp: "answer"), .verified, .firstVideoFrame)
        #expect(machine.handle(.media(.networkChanged, generation: 0)).isNothing)
        #expect(machine.handle(.accept).contains(.restartIce(1)))
        #expect(machine.handle(.media(.networkChanged, generation: 0)).contains(.restartIce(2)))
    }

    @Test("When the timer runs out and media arrives, the former path stays")
    func formerPath() {
        var machine = CallMachine.connected(.caller).after(.media(.pathSilent, generation: 0))
        #expect(
            machine.handle(.timerFired(.iceRestart)) == [
                .cancelTimer(.iceRestart), .notify(.networkChangeEnded(nil)),
            ])
        // The next silence is another reason to search.
        #expect(machine.handle(.media(.pathSilent, generation: 0)).contains(.restartIce(2)))
    }

    @Test("While nothing arrives, the search begins again, unless the peer's parameters are under way")
    func again() {
        var machine = CallMachine.connected(.caller).after(.media(.pathSilent, generation: 0), .interrupted)
        // Nothing was sent: this end could not make a path.
        #expect(machine.handle(.timerFired(.iceRestart)) == [.restartIce(2), .start(.iceRestart, 3_000)])
        _ = machine.handle(.media(.iceParameters(Self.parameters(2)), generation: 0))
        #expect(machine.handle(.timerFired(.iceRestart)) == [.start(.iceRestart, 3_000)])
        _ = machine.handle(.received(.iceRestart(Self.parameters(2))))
        #expect(machine.handle(.timerFired(.iceRestart)) == [.restartIce(3), .start(.iceRestart, 3_000)])
    }

    @Test("A search ends with its peer connection")
    func replaced() {
        var machine = CallMachine.connected(.caller).after(
            .changeMedia(.audioOnly), .media(.networkChanged, generation: 0))
        let effects =
            machine.handle(.media(.offerCreated(sdp: "offer"), generation: 1))
            + machine.handle(.received(.answer(sdp: "answer"), generation: 1))
            + machine.handle(.media(.verified, generation: 1))
            + machine.handle(.media(.firstAudioSample, generation: 1))
            + machine.handle(.received(.commit, generation: 1))
        #expect(effects.contains(.close(generation: 0)))
        #expect(effects.contains(.cancelTimer(.iceRestart)))
        #expect(effects.contains(.notify(.networkChangeEnded(nil))))
        #expect(machine.state == .connected && !machine.current.restart.isRunning)
    }

    @Test("The end of a call ends the search")
    func ended() {
        var machine = CallMachine.connected(.caller).after(.media(.networkChanged, generation: 0))
        #expect(machine.handle(.hangUp).contains(.cancelTimer(.iceRestart)))
    }
}
