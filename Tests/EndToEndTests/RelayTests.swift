import Foundation
import SignalingServer
import TestServers
import Testing

extension EndToEnd {
    /// Calls of the program through a real TURN server.
    @Suite struct RelayTests {
        @Test(
            "Two processes see and hear each other through the relay only: over UDP, TCP and TLS",
            arguments: ["udp", "tcp", "tls"])
        func relayOnly(transport: String) async throws {
            let certificate = try TestCertificate()
            let turn =
                switch transport {
                case "udp": try await TurnServer()
                case "tcp": try await TurnServer(["--no-udp"])
                default: try await TurnServer(certificate: certificate)
                }
            let server = Self.server(turn, transport)
            let options = ["--ice-server", server, "--ice-policy", "relay"]
            let roots = transport == "tls" ? ["--trust-roots", certificate.certificate.path] : []
            let trio = try await Trio()
            let bob = try await trio.listen(["--audio", "tone:660", "--video-size", "240x136"] + options + roots)
            let alice = try trio.call(["--json", "--duration", "2s", "--video-size", "320x180"] + options + roots)
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            let mine = try #require((try alice.document()["calls"] as? [[String: Any]])?.first)
            let theirs = try await Self.report(of: bob)
            for (call, width, pitch) in [(mine, 240.0, 660.0), (theirs, 320.0, 440.0)] {
                #expect(try call.text("transport.localCandidateType") == "relay")
                #expect(try call.text("transport.remoteCandidateType") == "relay")
                #expect(try call.number("video.received.distinctFrames") > 10)
                #expect(try call.number("video.received.frameWidth") == width)
                #expect(abs(try call.number("audio.received.toneHz") - pitch) < 5)
                #expect((call["warnings"] as? [String]) == [])
            }
        }

        @Test("The first call after a sign-in has the relay that only the signaling server names")
        func given() async throws {
            let secret = "a secret that two servers share"
            let (file, turn) = (try TemporaryFile(secret + "\n"), try await TurnServer(secret: secret))
            let trio = try await Trio(["--turn-url", turn.url("udp"), "--turn-secret-file", file.path])
            let bob = try await trio.listen(["--audio", "tone:660", "--ice-policy", "relay"])
            let alice = try trio.call(["--json", "--duration", "2s", "--ice-policy", "relay"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            let mine = try #require((try alice.document()["calls"] as? [[String: Any]])?.first)
            for (call, pitch) in [(mine, 660.0), (try await Self.report(of: bob), 440.0)] {
                #expect(try call.text("transport.localCandidateType") == "relay")
                #expect(try call.number("video.received.distinctFrames") > 10)
                #expect(abs(try call.number("audio.received.toneHz") - pitch) < 5)
            }
        }

        @Test(
            "A relay that only the endpoint of WHIP and WHEP names, in a Link header, carries the session",
            arguments: ["publish", "play"])
        func linked(command: String) async throws {
            let turn = try await TurnServer()
            // Only who has a token gets the password of the relay.
            let key = try TemporaryFile(String(repeating: "secret of this test ", count: 3))
            let token = try AccessToken(user: "alice", lifetime: .seconds(600))
                .signed(with: try await TokenKey.read(file: key.path))
            let camera = try Program(
                ["listen", "--http-listen", "127.0.0.1:0", "--events", "--ice-interface", "127.0.0.1"]
                    + ["--video", "test:smpte", "--video-size", "240x136", "--audio", "tone:660"]
                    + ["--ice-server", Self.server(turn, "udp"), "--http-token-key-file", key.path])
            try await eventually("the camera listens: \(camera.errors)") { camera.hasEvent(["event": "listening"]) }
            let listening = try #require(camera.events.first { $0["event"] as? String == "listening" })
            let url = try listening.text("url") + (command == "publish" ? "/whip" : "/whep")
            let source = ["--video", "test:ball", "--video-size", "320x180", "--audio", "tone:440"]
            let client = try Program(
                [command, url, "--json", "--duration", "2s", "--ice-policy", "relay"]
                    + ["--ice-interface", "127.0.0.1", "--token", token] + (command == "publish" ? source : []))
            #expect(try await client.waitForExit() == 0, "\(client.errors)")
            let mine = try #require((try client.document()["calls"] as? [[String: Any]])?.first)
            #expect(try mine.text("transport.localCandidateType") == "relay")
            let receiver = command == "publish" ? try await Self.report(of: camera) : mine
            #expect(try receiver.number("video.received.distinctFrames") > 10)
            #expect(try receiver.number("video.received.frameWidth") == (command == "publish" ? 320 : 240))
            #expect(abs(try receiver.number("audio.received.toneHz") - (command == "publish" ? 440 : 660)) < 5)
        }

        @Test("Wrong credentials are an event and in the report, and the call connects by another candidate")
        func wrongCredentials() async throws {
            let turn = try await TurnServer()
            let server = Self.server(turn, "udp", credential: "wrong")
            let trio = try await Trio()
            let bob = try await trio.listen()
            let alice = try trio.call(["--events", "--duration", "10m", "--ice-server", server])
            try await eventually("the warning") {
                alice.events.contains { event in
                    event["event"] as? String == "mediaWarning"
                        && (event["text"] as? String)?.contains("wrong credentials") == true
                }
            }
            for program in [alice, bob] {
                try await eventually("connected") { program.hasEvent(["event": "stateChanged", "state": "connected"]) }
            }
            alice.signal(SIGINT)
            try await alice.waitForExit()
            let call = try await Self.report(of: alice)
            #expect(try call.text("transport.localCandidateType") == "host")
            #expect(try call.number("video.received.distinctFrames") > 0)
            let warnings = try #require(call["warnings"] as? [String])
            #expect(warnings.count == 1 && warnings[0].contains("wrong credentials"))
            #expect(!alice.output.contains("wrong@") && !alice.errors.contains("wrong@"), "credentials stay out of it")
        }

        /// These failures may be known before the invite is sent, and then the peer hears nothing.
        @Test(
            "With the policy relay, a TURN server that gives no candidate ends the call with the reason",
            arguments: ["wrong credentials", "its certificate is not trusted"])
        func nothingButRelay(reason: String) async throws {
            let isTLS = reason.contains("certificate")
            let turn = try await isTLS ? TurnServer(certificate: TestCertificate()) : TurnServer()
            let server = Self.server(turn, isTLS ? "tls" : "udp", credential: isTLS ? TurnServer.credential : "wrong")
            let trio = try await Trio()
            let bob = try await trio.listen()
            let alice = try trio.call(["--json", "--ice-server", server, "--ice-policy", "relay"])
            #expect(try await alice.waitForExit() == 5)
            #expect(alice.errors.contains("mediaFailed") && alice.errors.contains(reason), "\(alice.errors)")
            #expect(!bob.hasEvent(["event": "stateChanged", "state": "connected"]))
        }

        @Test("With the policy relay, a TURN server that does not reply ends the call at both ends")
        func silentRelay() async throws {
            let silent = try HeldPort()
            let trio = try await Trio()
            let bob = try await trio.listen()
            let server = "turn:\(TurnServer.username):\(TurnServer.credential)@127.0.0.1:\(silent.number)"
            let alice = try trio.call(["--json", "--ice-server", server, "--ice-policy", "relay"])
            #expect(try await alice.waitForExit() == 5)
            let call = try #require((try alice.document()["calls"] as? [[String: Any]])?.first)
            #expect(try call.text("end.reason") == "mediaFailed")
            #expect(try call.text("end.text").contains("out of reach"))
            try await eventually("bob hears of it") { bob.hasEvent(["event": "stateChanged", "state": "ended"]) }
        }

        private static func server(
            _ turn: TurnServer, _ transport: String, credential: String = TurnServer.credential
        ) -> String {
            let user = "\(TurnServer.username):\(credential)@127.0.0.1:\(turn.port)"
            return transport == "tls" ? "turns:\(user)" : "turn:\(user)?transport=\(transport)"
        }

        /// The final report of a program's first call with `--events`.
        private static func report(of program: Program) async throws -> [String: Any] {
            try await eventually("the report") { program.hasEvent(["event": "report"]) }
            let event = try #require(program.events.first { $0["event"] as? String == "report" })
            return try event.object("report")
        }
    }
}
