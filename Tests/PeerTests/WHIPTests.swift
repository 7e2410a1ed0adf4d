import Foundation
import TestServers
import Testing

extension Peers {
    /// `callagent publish` and `play` with media servers of other implementations.
    @Suite struct WHIPTests {
        @Test(
            "What is published arrives at the server, and at who plays it there",
            arguments: MediaServer.Implementation.allCases)
        func broadcast(implementation: MediaServer.Implementation) async throws {
            let server = try await MediaServer(implementation)
            let publisher = try server.publish("whip/room", ["--prefer", "detail"])
            try await connected(publisher)
            let viewer = try server.play("whep/room", ["--duration", "3s", "--require-media"])
            #expect(try await viewer.waitForExit() == 0, "\(viewer.errors)")
            let seen = try await viewer.report()
            #expect(seen.number("video.received.distinctFrames") ?? 0 > 30)
            #expect(seen.number("video.received.frameWidth") == 640)
            #expect(seen.hears(440) && seen.text("audio.received.codec") == "OPUS")
            #expect(seen.number("video.sent.packetsSent") == 0 && seen.number("audio.sent.packetsSent") == 0)

            publisher.signal(SIGINT)
            #expect(try await publisher.waitForExit() == 130)
            let sent = try await publisher.report()
            #expect(sent.text("end.reason") == "localHangup")
            #expect(sent.number("video.received.framesDecoded") == 0)
            try await eventually("both sessions are gone from the server") {
                server.program.events.count { $0["event"] as? String == "ended" } == 2
            }
            let ended = try #require(server.program.events.last { $0["event"] as? String == "ended" })
            switch implementation {
            case .aiortc:
                // Candidates follow the offer, with the version of the session that the server knows.
                let fragments = server.program.events.compactMap { $0["text"] as? String }
                #expect(fragments.contains { $0.contains("a=candidate:") && $0.contains("a=ice-ufrag:") })
                #expect(ended["distinct"] as? Int ?? 0 > 30)
                let bars = try #require(ended["colours"] as? [[Int]])
                #expect(PageUser.Frame(width: 640, height: 360, bars: bars, hash: 0).isSMPTE)
                #expect(abs((ended["hertz"] as? Double ?? 0) - 440) < 5)
            case .pion: #expect(ended["video"] as? Int ?? 0 > 90 && ended["audio"] as? Int ?? 0 > 90)
            }
        }

        @Test("A camera publishes to a media server, whose viewers see black and hear nothing during a call")
        func showToOne() async throws {
            let media = try await MediaServer(.pion)
            let server = try await CallServer()
            let camera = try await server.listen(
                "camera", ["--video", "test:smpte", "--audio", "tone:440", "--broadcast", media.url("whip/show")])
            try await eventually("it broadcasts: \(camera.errors)") { camera.hasEvent(["event": "broadcasting"]) }
            let viewer = try media.play("whep/show", ["--stats-interval", "200ms"])
            try await connected(viewer)
            func level() -> Double? {
                let last = viewer.events.last { $0["event"] as? String == "statistics" }
                let kinds = (last?["interval"] as? [String: Any])?["inbound"] as? [[String: Any]] ?? []
                return kinds.first { $0["kind"] as? String == "audio" }?["audioLevel"] as? Double
            }
            try await eventually("the viewer hears the camera") { level() ?? 0 > 0.1 }
            let caller = try server.call("camera", as: "bob", ["--events", "--duration", "3s", "--require-media"])
            try await eventually("the viewer hears nothing") { level() == 0 }
            #expect(try await caller.waitForExit() == 0, "\(caller.errors)")
            try await eventually("the viewer hears the camera again") { level() ?? 0 > 0.1 }
            #expect(camera.count(of: ["event": "broadcasting"]) == 1)
            for program in [viewer, camera] {
                program.signal(SIGINT)
                #expect(try await program.waitForExit() == 130, "\(program.errors)")
            }
            try await eventually("both sessions are gone from the server") {
                media.program.events.count { $0["event"] as? String == "ended" } == 2
            }
        }

        @Test("A server's own media is played, or its audio alone", arguments: [true, false])
        func ownMedia(hasVideo: Bool) async throws {
            let server = try await MediaServer()
            let options = ["--duration", "2s", "--require-media"] + (hasVideo ? [] : ["--audio-only"])
            let viewer = try server.play("whep/own", options)
            #expect(try await viewer.waitForExit() == 0, "\(viewer.errors)")
            let report = try await viewer.report()
            #expect(report.hears(660))
            #expect(report.number("video.received.distinctFrames") ?? 0 > 20 || !hasVideo)
            #expect((report.number("video.received.framesDecoded") == nil) == !hasVideo)
        }

        @Test(
            "Another network path is found during a session, and the media goes on; also when the server fails at first",
            arguments: ["room", "flaky"])
        func iceRestart(room: String) async throws {
            let server = try await MediaServer(.pion)
            let publisher = try server.publish("whip/\(room)", ["--at", "2s=restart-ice"])
            try await connected(publisher)
            let viewer = try server.play("whep/\(room)", ["--at", "2s=restart-ice", "--stats-interval", "200ms"])
            for program in [publisher, viewer] {
                let change = try await program.event(["event": "networkChangeEnded"])
                let path = try #require(change["networkChange"] as? [String: Any])
                #expect(path["after"] is [String: Any])
            }
            #expect(server.program.count(of: ["event": "iceRestart"]) >= 2)
            func frames() -> Double {
                let entries = viewer.event(named: "statistics")?["statistics"] as? [[String: Any]] ?? []
                return entries.compactMap { ($0["framesDecoded"] as? NSNumber)?.doubleValue }.max() ?? 0
            }
            let before = frames()
            try await eventually("thirty frames on the other path") { frames() > before + 30 }
            for program in [viewer, publisher] {
                program.signal(SIGINT)
                #expect(try await program.waitForExit() == 130)
            }
            #expect(try await viewer.report().hears(440))
        }

        @Test("A redirect is followed, with the token, over TLS")
        func redirected() async throws {
            let certificate = try TestCertificate()
            let server = try await MediaServer(
                .aiortc,
                ["--token", "secret", "--certificate", certificate.certificate.path, "--key", certificate.key.path])
            let token = try TemporaryFile("secret\n")
            let trust = ["--trust-roots", certificate.certificate.path]
            let options = trust + ["--token-file", token.path, "--duration", "3s"]
            let publisher = try server.publish("odd/moved", options)
            #expect(try await publisher.waitForExit() == 0, "\(publisher.errors)")
            try await eventually("the session is ended") { server.program.event(named: "ended") != nil }
            #expect(server.program.hasEvent(["event": "request", "method": "POST", "path": "/whip/moved"]))
            #expect(server.program.event(named: "ended")?["distinct"] as? Int ?? 0 > 10)

            for (options, text) in [
                (trust, "answered 401, so it wants a token: who are you?; --token-file FILE"),
                (trust + ["--token", "wrong"], "answered 401, so it does not accept the token"),
                ([], "its certificate is not trusted"),
            ] {
                let refused = try server.publish("whip/room", options)
                #expect(try await refused.waitForExit() == 3)
                #expect(refused.errors.contains(text), "\(refused.errors)")
            }
        }

        @Test(
            "What a server answers instead of SDP is reported in one line, with an exit code",
            arguments: [
                ("whip/x/y", 4, "answered 404, so there is nothing at this URL"),
                ("whep/nobody", 4, "nothing at this URL: nobody publishes in this room"),
                ("odd/circle", 3, "it redirects more than 5 times"),
                ("odd/page", 3, "no SDP answer but 200 from"),
                ("odd/full", 3, "answered 503; try again after 7 s: no room left"),
                ("odd/codecs", 5, "answered 406, so it cannot use the offered media: no such codec"),
                ("odd/long", 3, "is longer than 256 kB"),
                ("odd/empty", 5, "incompatibleMedia"),
                ("odd/slow", 4, "ringTimeout"),
            ] as [(String, Int32, String)])
        func refused(path: String, status: Int32, text: String) async throws {
            let server = try await MediaServer()
            let program = try server.play(path, path == "odd/slow" ? ["--request-timeout", "1s"] : [])
            #expect(try await program.waitForExit(within: .seconds(30)) == status)
            #expect(program.errors.contains(text), "\(program.errors)")
            #expect(
                program.errors.split(separator: "callagent: ", omittingEmptySubsequences: false).count == 2,
                "\(program.errors)")
        }

        @Test("A session whose answer is of no use, or comes when nobody waits any more, is ended on the server")
        func ended() async throws {
            let server = try await MediaServer()
            let program = try server.play("odd/made")
            #expect(try await program.waitForExit() == 3, "\(program.errors)")
            try await eventually("the session is ended") {
                server.program.hasEvent(["event": "request", "method": "DELETE", "path": "/session/made"])
            }

            let late = try server.play("odd/late")
            let post = ["event": "request", "method": "POST", "path": "/odd/late"]
            try await eventually("the offer is there") { server.program.hasEvent(post) }
            // The call is over, and the offer is still under way.
            late.signal(SIGINT)
            let report = try await late.report()
            #expect(report.text("end.reason") == "localCancelled")
            try server.tell("odd/release")
            #expect(try await late.waitForExit() == 130)
            try await eventually("the late session is ended, too") {
                server.program.hasEvent(["event": "request", "method": "DELETE", "path": "/session/late"])
            }
        }

        @Test("A server that has forgotten the session ends it")
        func forgotten() async throws {
            let server = try await MediaServer()
            let publisher = try server.publish("whip/room")
            try await connected(publisher)
            server.program.signal(SIGKILL)
            try await server.program.waitForExit()
            let next = try await MediaServer(.aiortc, ["--port", "\(server.port)"])
            #expect(try await publisher.waitForExit() == 0, "\(publisher.errors)")
            let report = try await publisher.report()
            #expect(report.text("end.reason") == "remoteHangup")
            #expect(report.text("end.text") == "the server has ended the session")
            #expect(Set(next.methods) == ["PATCH"])
        }

        @Test("A publisher that reconnects waits for its server, and comes back when the server is another one")
        func reconnecting() async throws {
            let first = try await MediaServer()
            let publisher = try first.publish("whip/room", ["--reconnect"])
            try await connected(publisher)
            first.program.signal(SIGKILL)
            try await first.program.waitForExit()
            let second = try await MediaServer(.aiortc, ["--port", "\(first.port)"])
            try await eventually("a second session") {
                let connected = publisher.events.filter { $0["state"] as? String == "connected" }
                return Set(connected.compactMap { $0["callId"] as? String }).count == 2
            }
            let viewer = try second.play("whep/room", ["--duration", "2s", "--require-media"])
            #expect(try await viewer.waitForExit() == 0, "\(viewer.errors)")
            #expect(try await viewer.report().hears(440))
            publisher.signal(SIGTERM)
            #expect(try await publisher.waitForExit() == 143)

            second.program.signal(SIGKILL)
            try await second.program.waitForExit()
            let early = try first.publish("whip/room", ["--reconnect"])
            try await eventually("it waits for the server") { early.errors.contains("trying again in 1 s") }
            early.signal(SIGINT)
            #expect(try await early.waitForExit() == 130)
        }

        @Test("Many viewers of one stream get all of its frames, and are judged")
        func viewers() async throws {
            let server = try await MediaServer(.pion)
            let publisher = try server.publish("whip/room", ["--video", "clock", "--video-size", "320x180"])
            try await connected(publisher)
            let load = try Program(
                ["load", server.url("whep/room"), "--calls", "6", "--duration", "3s", "--workers", "2", "--json"]
                    + ["--ice-interface", "127.0.0.1", "--require-media", "--expect", "summary.connected==6"]
                    + ["--expect", "video.received.quality.framesMissing<30"])
            #expect(try await load.waitForExit() == 0, "\(load.errors)")
            let calls = try #require(try load.document()["calls"] as? [[String: Any]])
            #expect(calls.count == 6)
            for call in calls.map(Report.init) {
                #expect(call.number("video.received.distinctFrames") ?? 0 > 10)
                #expect(call.hears(440) && call.number("video.sent.packetsSent") == 0)
            }
            try await eventually("all sessions are gone from the server") {
                server.program.events.count { $0["event"] as? String == "ended" } == 6
            }
            publisher.signal(SIGINT)
            try await publisher.waitForExit()

            let alone = try Program(["load", server.url("whep/nobody"), "--calls", "2", "--ice-interface", "127.0.0.1"])
            #expect(try await alone.waitForExit() == 4, "\(alone.output)")
        }

        private func connected(_ program: Program) async throws {
            try await eventually("a connected session: \(program.errors)") {
                program.hasEvent(["event": "stateChanged", "state": "connected"])
            }
        }
    }
}

extension Program {
    fileprivate func event(named name: String) -> [String: Any]? {
        events.last { $0["event"] as? String == name }
    }
}
