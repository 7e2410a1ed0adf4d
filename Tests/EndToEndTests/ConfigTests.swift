import Foundation
import Testing

extension EndToEnd {
    /// Options from a file.
    @Suite struct ConfigTests {
        private let folder = Folder()

        @Test("A file can set every kind of option, and the command line wins")
        func options() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen()
            let file = try folder.write(
                """
                {"as": "alice", "signaling": "\(trio.url)", "ice-interface": ["127.0.0.1"], "duration": "10m", "repeat": 2,
                 "audio-only": true, "json": true, "events": false, "display-name": "--odd = name", "extension": ["a=1", "b=2"],
                 "expect": "summary.connected==2"}
                """, "alice.json")
            let alice = try Program(["call", "bob", "--config", file, "--duration", "200ms"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            let calls = try #require(try alice.document()["calls"] as? [[String: Any]])
            #expect(calls.count == 2)
            #expect(calls.allSatisfy { $0["video"] == nil && $0["audio"] != nil })
            let invited = try #require(bob.events.first { $0["stage"] as? String == "invited" })
            #expect(try invited.text("displayName") == "--odd = name")
            #expect(try invited.object("extension") as? [String: String] == ["a": "1", "b": "2"])
        }

        @Test("A command of two words takes a file, too, and an error names both")
        func roomCommand() async throws {
            let file = try folder.write(#"{"answer": "now"}"#, "room.json")
            let who = try Program(["room", "who", "--config", file, "1234"])
            #expect(try await who.waitForExit() == 2)
            #expect(who.errors.contains("'answer' in '\(file)' is no option of callagent room who"), "\(who.errors)")
        }

        @Test("The server accepts a configuration file")
        func server() async throws {
            let file = try folder.write(#"{"listen": "127.0.0.1:0", "events": true}"#, "server.json")
            let server = try Program(["serve", "--config", file])
            try await eventually("it listens: \(server.errors)") {
                server.hasEvent(["event": "serving", "signIn": "open"])
            }
            #expect(try #require(server.events.first).text("page").hasPrefix("http://127.0.0.1:"))
            server.signal(SIGTERM)
            #expect(try await server.waitForExit() == 143)
        }

        @Test(
            "An error in a file is one line that names the file, and exit code 2",
            arguments: [
                (#"{"durration": "1s"}"#, "'durration' in"), (#"{"json": "yes"}"#, "use true or false"),
                (#"{"duration": true}"#, "'duration' in"), (#"{"duration": ["1s", "2s"]}"#, "'duration' in"),
                (#"{"duration": "soon"}"#, "--config file"), (#"{"config": "x"}"#, "'config' in"),
                (#"{"calls": null}"#, "'calls' in"), (#"{"calls": {"a": 1}}"#, "'calls' in"),
                (#"{"expect": [true]}"#, "'expect' in"), (#"["calls"]"#, "no JSON object"),
                (#"{"calls": 1"#, "is no JSON"), ("", "is no JSON"),
                (String(repeating: "[", count: 100_000), "nested too deep"),
            ])
        func mistakes(text: String, part: String) async throws {
            try await expect(try folder.write(text, "demo.json"), part)
        }

        @Test("A path that is missing, not a file, not UTF-8 or endless is a clear error")
        func unreadable() async throws {
            try await expect(folder.path("none.json"), "there is no file")
            try await expect(folder.path(""), "is a folder")
            try await expect(folder.write(Data([0x7b, 0xff, 0xfe, 0x7d]), "latin.json"), "is not UTF-8")
            try await expect("/dev/zero", "is longer than")
        }

        @Test("A pipeline description that is not UTF-8 is wrong usage, and the file is named")
        func pipelines() async throws {
            _ = try folder.write(Data([0xff, 0xfe, 0x00, 0x41]), "odd-video-source.launch")
            let program = try Program(["pipelines", "list", "--pipelines", folder.path("")])
            #expect(try await program.waitForExit() == 2)
            #expect(program.errors.contains("odd-video-source.launch"), "\(program.errors)")
            #expect(program.errors.split(separator: "\n").count == 1)
        }

        private func expect(_ file: String, _ part: String, sourceLocation: SourceLocation = #_sourceLocation)
            async throws
        {
            let demo = try Program(["demo", "--config", file])
            #expect(try await demo.waitForExit() == 2, "\(demo.errors)", sourceLocation: sourceLocation)
            #expect(demo.errors.contains(part), "\(demo.errors)", sourceLocation: sourceLocation)
            #expect(demo.errors.split(separator: "\n").count == 1, "\(demo.errors)", sourceLocation: sourceLocation)
            #expect(demo.output.isEmpty, sourceLocation: sourceLocation)
        }
    }
}
