import Foundation
import Testing

extension EndToEnd {
    /// The actions of `--at` in a running call, and the events at both ends.
    @Suite struct ScriptTests {
        @Test("Frames that a hold or a muted camera keeps back are not missing")
        func pauses() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--video", "clock", "--at", "4s=mute-video", "--at", "6s=unmute-video"])
            let alice = try trio.call(["--json", "--duration", "7s", "--at", "1s=hold", "--at", "3s=unhold"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            bob.signal(SIGINT)
            let calls = try #require(try alice.document()["calls"] as? [[String: Any]])
            let call = try #require(calls.first)
            #expect(try call.number("video.received.quality.framesMarked") > 60)
            // Each pause keeps back 60 frames; after it some may be lost while the rate grows again.
            #expect(try call.number("video.received.quality.framesMissing") < 40)
        }

        @Test("A scripted call holds, mutes and sends messages, and the peer gets an event for each")
        func script() async throws {
            let trio = try await Trio()
            // Each end counts from its own connected state, so alternating actions are a second apart.
            let bob = try await trio.listen(["--once", "--at", "3s=hold", "--at", "4s=unhold"])
            let steps = [
                "2s=hold", "5s=unhold", "5200ms=mute-audio", "5300ms=info:a=b; ümläut", "5400ms=unmute-audio",
                "5500ms=stop-video", "5600ms=start-video", "5700ms=mute-video", "5900ms=unmute-video", "6100ms=hangup",
            ]
            let alice = try trio.call(["--events"] + steps.flatMap { ["--at", $0] })
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")

            let done = alice.events.filter { $0["event"] as? String == "action" }
            #expect(
                done.compactMap { $0["action"] as? String }
                    == steps.map { String($0.split(separator: "=", maxSplits: 1)[1]) })
            #expect(done.allSatisfy { $0["text"] == nil })
            let mine = holds(of: alice)
            let theirs = holds(of: bob)
            #expect(mine == ["held", "both", "held", "none"])
            #expect(theirs == ["remotelyHeld", "both", "remotelyHeld", "none"])
            #expect(bob.hasEvent(["event": "info", "content": "a=b; ümläut"]))
            let told = bob.events.compactMap { $0["peerSends"] as? [String: Any] }
            #expect(told.contains { $0["audio"] as? String == "muted" && $0["video"] as? String == "on" })
            #expect(told.contains { $0["audio"] as? String == "on" && $0["video"] as? String == "off" })
            #expect(told.contains { $0["audio"] as? String == "on" && $0["video"] as? String == "muted" })
            #expect(told.last?["video"] as? String == "on")
        }

        @Test("The video source, size and audio source change during a call")
        func sources() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--once"])
            let steps = [
                "300ms=video=test:smpte", "600ms=video-size=480x272@15", "900ms=audio=tone:880",
                "1200ms=orientation=90",
            ]
            let alice = try trio.call(["--events", "--duration", "3s"] + steps.flatMap { ["--at", $0] })
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            let report = try #require(bob.events.last).object("report")
            // A quarter turn swaps width and height.
            #expect(try report.number("video.received.frameWidth") == 272)
            #expect(try report.number("video.received.frameHeight") == 480)
            #expect(try abs(report.number("audio.received.toneHz") - 880) < 18)
            #expect(try #require(alice.events.last).object("report").number("video.sent.frameWidth") == 272)
        }

        @Test("video is added to an audio call, from each end whose user turns it on")
        func addVideo() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--once", "--at", "2500ms=start-video"])
            let alice = try trio.call(["--events", "--audio-only", "--duration", "5s", "--at", "300ms=add-video"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            for program in [alice, bob] {
                #expect(program.hasEvent(["event": "mediaChanged"]))
                let report = try #require(program.events.last).object("report")
                #expect(try report.number("video.received.distinctFrames") > 20)
                #expect(report.value("media.video") as? Bool == true)
            }
        }

        @Test("A medium that the call lacks is refused until it is added, also by an end without a source")
        func addAudio() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--once", "--at", "4s=start-audio"])
            let alice = try trio.call([
                "--events", "--audio", "none", "--duration", "7s", "--at", "100ms=unmute-audio",
                "--at", "200ms=start-audio", "--at", "300ms=add-audio", "--at", "4s=audio=tone:880",
            ])
            #expect(try await alice.waitForExit() == 6, "\(alice.errors)")
            #expect(alice.errors.contains("'unmute-audio' was refused: the call has no audio; add-audio adds it"))
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            #expect(
                alice.events.compactMap { $0["event"] as? String == "action" ? $0["text"] as? String : nil }.count == 2)
            for (program, hertz) in [(alice, 440.0), (bob, 880)] {
                let report = try #require(program.events.last).object("report")
                #expect(try abs(report.number("audio.received.toneHz") - hertz) < 18)
            }
        }

        @Test("Stages that were reached before the program followed the call are printed once and in order")
        func past() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--once"])
            let alice = try trio.call([
                "--events", "--duration", "200ms", "--display-name", "Alice", "--extension", "t=7",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            for (program, early) in [(alice, "offerCreated"), (bob, "ringing")] {
                let stages = program.events.compactMap { $0["stage"] as? String }
                #expect(stages.first == "invited" && stages.contains(early))
                #expect(Set(stages).count == stages.count)
                let report = try #require(program.events.last)
                #expect(Set(stages) == Set(try report.object("report.timelineMs").keys))
            }
            let invited = try #require(bob.events.first { $0["stage"] as? String == "invited" })
            #expect(try invited.text("displayName") == "Alice")
            #expect(try invited.text("extension.t") == "7")
        }

        @Test("A report has the records, room, hold and connected time")
        func report() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen()
            let alice = try trio.call([
                "--json", "--duration", "600ms", "--at", "200ms=hold", "--call-id", "my-call", "--room", "my-room",
                "--expect", "connectedMs>500", "--expect", "connectedMs<5000",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            let call = try #require((try alice.document()["calls"] as? [[String: Any]])?.first)
            #expect(try (call.text("callId"), call.text("room"), call.text("hold")) == ("my-call", "my-room", "held"))
            let records = try #require(call["records"] as? [[String: Any]])
            let actions = try records.map { try "\($0.text("kind")) \($0.text("action"))" }
            for action in [
                "user place", "sent invite", "received ringing", "received accept", "user hold", "sent hangup",
            ] {
                #expect(actions.contains(action), "\(actions)")
            }
            #expect(bob.hasEvent(["callId": "my-call", "event": "stateChanged", "state": "connected"]))
        }

        @Test("The text output has hold and the peer's messages, with control characters escaped")
        func human() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--at", "200ms=hold", "--at", "400ms=info:red \u{1b}[31m"])
            let alice = try trio.call(["--duration", "4s"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(alice.output.contains("the peer holds the call\n"))
            #expect(alice.output.contains("the peer says: red \\u{1b}[31m\n"))
            #expect(bob.hasEvent(["event": "action", "action": "hold"]))
        }

        @Test("An action that the call refuses is reported, and the command fails with exit code 6")
        func refused() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen()
            let alice = try trio.call(["--events", "--duration", "500ms", "--at", "100ms=unhold"])
            #expect(try await alice.waitForExit() == 6)
            #expect(bob.exitStatus == nil)
            #expect(alice.errors.hasPrefix("callagent: 'unhold' was refused: "))
            let action = try #require(alice.events.first { $0["event"] as? String == "action" })
            #expect(try action.text("text").contains("unhold is not possible"))
        }

        private func holds(of program: Program) -> [String] {
            program.events.filter { $0["event"] as? String == "holdChanged" }.compactMap { $0["hold"] as? String }
        }
    }
}
