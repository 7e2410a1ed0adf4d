import MediaEngine
import Testing

@testable import CallAgent

extension EndToEnd {
    /// DTMF digits in calls.
    @Suite struct DtmfTests {
        @Test("DTMF digits arrive in order, both ways, while the audio continues, and are in the report")
        func digits() async throws {
            let pair = try await Talk()
            try await pair.mine.call.sendDTMF("12#")
            try await pair.mine.call.sendDTMF("d*")
            try await pair.theirs.call.sendDTMF("0aB")
            for (call, digits) in [(pair.theirs, "12#D*"), (pair.mine, "0AB")] {
                try await eventually("\(call.call.user) hears \(digits), so far \(call.digits)") {
                    call.digits.count >= digits.count
                }
                #expect(call.digits == digits)
                #expect(await call.call.report().dtmfReceived == digits)
            }
            try await pair.mine.hears(pair.bob.mark)
            try await pair.theirs.hears(pair.alice.mark)
            for text in ["x", String(repeating: "1", count: 65)] {
                await #expect(throws: CallError.self) { try await pair.mine.call.sendDTMF(text) }
            }
            try await pair.mine.call.hold()
            await #expect(
                throws: CallError.wrongState(
                    operation: "a DTMF digit", state: "the caller of a call that is connected, held")
            ) {
                try await pair.mine.call.sendDTMF("1")
            }
            try await pair.close()
            await #expect(throws: CallError.self) { try await pair.mine.call.sendDTMF("1") }
        }

        @Test("The program sends digits, prints those of the other end, and has them in its report")
        func program() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--once", "--at", "300ms=dtmf:0d"])
            let alice = try trio.call(["--events", "--duration", "4s", "--at", "300ms=dtmf:159*"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            for (program, digits) in [(bob, "159*"), (alice, "0D")] {
                let told = program.events.filter { $0["event"] as? String == "dtmf" }.compactMap {
                    $0["digit"] as? String
                }
                #expect(told.joined() == digits)
                let report = try #require(program.events.last).object("report")
                #expect(try report.text("audio.received.dtmf") == digits)
            }
            let wrong = try trio.call(["--at", "1s=dtmf:12x"])
            #expect(try await wrong.waitForExit() == 2)
            #expect(wrong.errors.contains("no DTMF digits"), "\(wrong.errors)")
        }

        @Test(
            "A caller's digits during ringing arrive when the call is connected; a ringing callee may send none"
        )
        func whileRinging() async throws {
            let server = try await TestServer()
            let alice = try await Station("alice", at: server.url).prepared()
            let bob = try await Station("bob", at: server.url, width: 240, hertz: 554).prepared()
            let mine = try await alice.call(bob)
            let theirs = try await bob.ring()
            try await eventually("the answer") { await mine.call.report().timeline.instant(of: .dtlsConnected) != nil }
            try await mine.call.sendDTMF("42")
            await #expect(throws: CallError.self) { try await theirs.call.sendDTMF("1") }
            // The duration of both digits and the pause between them.
            let audio = try await bob.look(.audio)
            let heard = audio.buffers
            try await eventually("a second of audio behind the gate") { audio.buffers > heard + 60 }
            #expect(theirs.digits.isEmpty)
            try await theirs.call.accept()
            try await theirs.reaches(.connected)
            try await eventually("the digits, so far \(theirs.digits)") { theirs.digits == "42" }
            await mine.call.hangUp()
            await alice.agent.close()
            await bob.agent.close()
        }
    }
}

extension FollowedCall {
    /// The digits of the other end.
    var digits: String { notices.compactMap { if case .dtmf(let digit) = $0 { digit } else { nil } }.joined() }
}
