import CallAgent
import Foundation
import Logging
import Testing
import WebSocketSignaling

extension EndToEnd {
    /// Wrong usage and missing resources: the program prints one line and has the right exit code.
    @Suite struct BadInputTests {
        @Test(
            "Wrong usage is one line and exit code 2",
            arguments: [
                (["--frobnicate"], "Unknown option"),
                (["cal", "bob", "--as", "alice"], "there is no command 'cal'; did you mean 'call'?"),
                (["help", "lisen"], "there is no command 'lisen'; did you mean 'listen'?"),
                (["frobnicate"], "there is no command 'frobnicate'; there are demo, serve"),
                (["call", "bob", "--as", "alice", "--vidoe", "test"], "Did you mean '--video'?"),
                (
                    ["load", "--pair", "--size", "640x360"],
                    "Unknown option '--size'; see callagent load --help"
                ),
                (["load", "--pair", "--video-sise", "640x360"], "Did you mean '--video-size'?"),
                (["room", "join", "lab", "--foo"], "Unknown option '--foo'"),
                (
                    ["call", "bob", "--as", "alice", "--display-name", "--Bob"],
                    "Missing value for '--display-name'; a value that begins with -- has to follow a ="
                ),
                (["list", "--as", "bob"], "there is no command 'list'; did you mean 'listen'?"),
                (["call", "bob"], "Missing expected argument '--as <user>'; see callagent call --help"),
                (["token"], "see callagent token --help"),
                (["call", "bob", "--vidoe", "test"], "Did you mean '--video'?"),
                (["call", "bob", "--as", "no spaces please"], "no user name"),
                (["call", "bob", "--as", "alice", "--signaling", "http://127.0.0.1:1"], "no signaling URL"),
                (["call", "bob", "--as", "alice", "--signaling", "nonsense"], "no signaling URL"),
                (["call", "bob", "--as", "alice", "--signaling", "127.0.0.1:8080"], "does not begin with ws://"),
                (["call", "bob", "--as", "alice", "--codec", "theora"], "no video codec; use one of vp8, vp9, h264"),
                (
                    ["call", "bob", "--as", "alice", "--video", "blub"],
                    "--video: 'blub' is no source; sources are test"
                ),
                (["call", "bob", "--as", "alice", "--video", "tets:ball"], "did you mean 'test'?"),
                (["call", "bob", "--as", "alice", "--video", "/dev/video0"], "no source; write v4l2:/dev/video0"),
                (["call", "bob", "--as", "alice", "--video", "./clip.mkv"], "write file:PATH for a file"),
                (
                    ["call", "bob", "--as", "alice", "--audio", "blub"],
                    "--audio: 'blub' is no source; sources are tone"
                ),
                (["call", "bob", "--as", "alice", "--video", "test:blub"], "'blub' is no value"),
                (["call", "bob", "--as", "alice", "--audio", "tone:loud"], "no pitch"),
                (["call", "bob", "--as", "alice", "--video-size", "big"], "no size"),
                (
                    ["call", "bob", "--as", "alice", "--duration", "soon"],
                    "--duration: 'soon' is no duration; use 10, 500ms, 1m30s or forever"
                ),
                (["call", "bob", "--as", "alice", "--duration=-5"], "--duration: '-5' is negative; use 10"),
                (["demo", "--duration", "-1m30s"], "--duration: '-1m30s' is negative; use 2s or 500ms"),
                (
                    ["call", "bob", "--as", "alice", "--ring-timeout", "x"],
                    "--ring-timeout: 'x' is no duration; use 2s"
                ),
                (["call", "bob", "--as", "alice", "--ring-timeout", "0s"], "longer than 0"),
                (
                    ["call", "bob", "--as", "alice", "--ice-interface", "lo", "--ice-interface", "127.0.0.1"],
                    "--ice-interface takes addresses or interfaces, not both"
                ),
                (["call", "bob", "--as", "alice", "--ice-server", "turn:127.0.0.1"], "username and a credential"),
                (["call", "bob", "--as", "alice", "--ice-server", "stuns:127.0.0.1"], "STUN by TLS"),
                (
                    ["call", "bob", "--as", "alice", "--ice-server", "turns:u:p@127.0.0.1?transport=udp"],
                    "TURN by DTLS"
                ),
                (["call", "bob", "--as", "alice", "--ice-ports", "99-98"], "--ice-ports"),
                (["call", "bob", "--as", "alice", "--ice-ports", "0-98"], "--ice-ports"),
                (["call", "bob", "--as", "alice", "--ice-server", "http://127.0.0.1"], "stun:"),
                (
                    ["call", "bob", "--as", "alice", "--ice-server", "stun.example.org"],
                    "--ice-server: this value is not possible; use stun:HOST or turn:USER:PASSWORD@HOST"
                ),
                (["call", "bob", "--as", "alice", "--ice-policy", "some"], "all"),
                (["call", "bob", "--as", "alice", "--pipelines", "/nonexistent"], "/nonexistent"),
                (["listen", "--as", "bob", "--signaling", "ws://192.0.2.1:1"], "--allow"),
                (
                    ["call", "bob", "--as", "alice", "--at", "2s=dance"],
                    "there is no action 'dance'; use one of hold, "
                ),
                (["call", "bob", "--as", "alice", "--at", "hold"], "TIME=ACTION"),
                (["call", "bob", "--as", "alice", "--network", "5g"], "'5g' is no condition of a network; use NAME, "),
                (["call", "bob", "--as", "alice", "--network", "lte,loss=5"], "'loss=5' is no condition"),
                (["call", "bob", "--as", "alice", "--network", "loss=500%"], "a loss is 0 to 100 %"),
                (
                    ["call", "bob", "--as", "alice", "--network", "lte/rate=1M"],
                    "'rate=1M' is no change of a network; use"
                ),
                (
                    ["call", "bob", "--as", "alice", "--network", "none/1s:lte"],
                    "'lte' is no condition of a network; use KEY=VALUE,…; keys: delay"
                ),
                (
                    ["call", "bob", "--as", "alice", "--network", "none/2s:rate=1M/1s:rate=2M"],
                    "each change is later than the one before"
                ),
                (["call", "bob", "--as", "alice", "--at", "1s=network:rate=1"], "a rate is 1 kbit/s to 100 Gbit/s"),
                (["call", "bob", "--as", "alice", "--at", "1s=room:a b"], "no name of a room"),
                (["call", "bob", "--as", "alice", "--at", "1s=room:lab"], "--at …=room:lab needs --room-server"),
                (["listen", "--as", "bob", "--room-server", "http://127.0.0.1"], "--room-server"),
                (["listen", "--as", "bob", "--room-pin-file", "pin"], "need --room-server"),
                (["lab", "--codec", "foo\""], "--codec: "),
                (["lab", "--video-rate", "0"], "--video-rate takes 6 to 2000000 kbit/s"),
                (["lab", "--video-size", "x"], "--video-size: "),
                (
                    [
                        "listen", "--as", "bob", "--room-server", "ws://h/", "--broadcast", "ws://h/",
                        "--broadcast-room", "1",
                    ], "--broadcast and --room-server exclude each other"
                ),
                (
                    ["room", "join", "1", "--as", "alice", "--server", "ws://h/", "--at", "1s=room:2"],
                    "room join has no such action"
                ),
                (
                    ["room", "join", "1", "--as", "alice", "--server", "ws://h/", "--ring-timeout", "3s"],
                    "--ring-timeout need --invite"
                ),
                (
                    ["room", "join", "1", "--as", "alice", "--server", "ws://h/", "--invite", "b", "--invite", "b"],
                    "--invite names a user twice"
                ),
                (
                    ["room", "join", "1", "--as", "alice", "--server", "ws://h/", "--signaling", "ws://h/"],
                    "need --invite"
                ),
                (["call", "bob", "--as", "alice", "--at", "later=hold"], "TIME=ACTION"),
                (["call", "bob", "--as", "alice", "--at", "20s=hold"], "raise --duration"),
                (["call", "bob", "--as", "alice", "--call-id", "a b"], "--call-id"),
                (["call", "bob", "--as", "alice", "--room", "r", "--repeat", "2"], "--repeat"),
                (["call", "bob", "--as", "alice", "--extension", "novalue"], "--extension"),
                (["call", "bob", "--as", "alice", "--extension", "a b=c"], "--extension takes at most"),
                (["call", "bob", "--as", "alice", "--device", "my phone"], "no device name"),
                (["call", "bob", "--as", "alice", "--at", "1s=layer:low"], "a call has no such action"),
                (["load", "--pair", "--calls", "1", "--at", "1s=room:1"], "load has no such action"),
                (["room", "join", "1", "--as", "a", "--server", "ws://[::1]", "--at", "1s=layer:top"], "is no layer"),
                (
                    ["call", "bob", "--as", "alice", "--display-name", String(repeating: "x", count: 257)],
                    "at most 256 bytes"
                ),
                (["serve", "--listen", "8080"], "no HOST:PORT"),
                (["listen", "--http-listen", "8889"], "no HOST:PORT"),
                (["listen", "--http-listen", "http://127.0.0.1:8889"], "no HOST:PORT"),
                (["listen", "--http-listen", "127.0.0.1:0", "--allow", "bob"], "--allow can name nobody else"),
                (["listen", "--http-listen", "0.0.0.0:0"], "give a key for tokens with --http-token-key-file"),
                (["listen", "--http-listen", "[::1]:0", "--signaling", "ws://[::1]"], "exclude each other"),
                (["listen", "--http-listen", "127.0.0.1:0", "--token", "x"], "which --http-listen does without"),
                (["listen", "--http-listen", "127.0.0.1:0", "--http-tls-cert", "x"], "go together"),
                (["listen", "--as", "bob", "--http-token-key-file", "x"], "need --http-listen"),
                (["pipelines", "show", "blub"], "known are"),
            ])
        func usage(arguments: [String], part: String) async throws {
            try await expect(Program(arguments), status: 2, part: part)
        }

        @Test(
            "An unreachable server is exit code 3, with what to do",
            arguments: [
                ("ws://127.0.0.1:1", "connection refused; start it with: callagent serve"),
                ("ws://nowhere.invalid:1", "cannot be resolved; check the name in --signaling"),
            ])
        func unreachable(url: String, part: String) async throws {
            try await expect(
                Program(["call", "bob", "--as", "alice", "--signaling", url, "--ice-interface", "127.0.0.1"]),
                status: 3, part: part)
        }

        @Test(
            "A local address or interface that this machine lacks is exit code 7, before any call",
            arguments: [
                ("192.0.2.1", "does not have the address 192.0.2.1; it has 127.0.0.1"),
                ("2001:db8::1", "does not have the address 2001:db8::1; it has 127.0.0.1"),
                ("eth0.none", "'eth0.none' is no IP address, and this machine has no interface with that name"),
                ("192.0.2.256", "'192.0.2.256' is no IP address, and this machine has no interface with that name"),
            ])
        func strangeAddress(address: String, complaint: String) async throws {
            try await expect(
                Program(["call", "bob", "--as", "alice", "--ice-interface", address]), status: 7, part: complaint)
        }

        @Test("A token sent unencrypted to another host causes a warning", arguments: ["error", "warning"])
        func plainToken(level: String) async throws {
            let trio = try await Trio()
            // For the system 0.0.0.0 is this host; the program cannot know that.
            let url = trio.url.replacing("127.0.0.1", with: "0.0.0.0")
            let alice = try Program([
                "call", "bob", "--as", "alice", "--signaling", url, "--token", "a-token", "--log-level", level,
                "--ice-interface", "127.0.0.1",
            ])
            #expect(try await alice.waitForExit() == 4)
            #expect(alice.errors.components(separatedBy: "unencrypted; use wss://").count == 2, "\(alice.errors)")
            #expect(!alice.errors.contains("a-token"))
        }

        @Test("A user name in use is exit code 3")
        func nameTaken() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen()
            try await expect(Program(["listen", "--as", "bob", "--signaling", trio.url]), status: 3, part: "(409)")
            try await expect(
                Program(["listen", "--as", "bob", "--signaling", trio.url]), status: 3,
                part: "end that program, use another name, or let both ring, each with a --device NAME of its own")
            #expect(bob.exitStatus == nil)
        }

        @Test("An unknown user and an offline user are exit code 4, with different texts")
        func absent() async throws {
            let trio = try await Trio()
            try await expect(
                trio.call(to: "carol"), status: 4,
                part: "unknownUser (404): no user carol; start the callee with: callagent listen --as carol")
            let bob = try await trio.listen()
            bob.signal(SIGTERM)
            try await bob.waitForExit()
            try await expect(trio.call(), status: 4, part: "start the callee with: callagent listen --as bob")
        }

        @Test("Rejected, busy and unanswered calls are exit code 4, with different texts")
        func unanswered() async throws {
            let trio = try await Trio()
            for (options, part) in [
                (["--reject"], "remoteRejected (603)"), (["--busy"], "remoteBusy (486)"),
                (["--answer", "never"], "ringTimeout (487)"), (["--allow", "carol"], "remoteRejected (603)"),
            ] {
                let bob = try await trio.listen(options)
                try await expect(
                    trio.call(options.contains("never") ? ["--ring-timeout", "1s"] : []), status: 4, part: part)
                bob.signal(SIGTERM)
                try await bob.waitForExit()
            }
        }

        @Test("A second caller gets busy, and the first call continues")
        func busy() async throws {
            let trio = try await Trio()
            let (alice, bob) = try await trio.connected()
            let carol = try Program(
                ["call", "bob", "--as", "carol", "--signaling", trio.url, "--ice-interface", "127.0.0.1"])
            try await expect(carol, status: 4, part: "remoteBusy (486)")
            alice.signal(SIGINT)
            try await eventually("the first call ends by its own caller") { bob.hasEvent(["reason": "remoteHangup"]) }
        }

        @Test("A key for tokens that cannot be read is exit code 7")
        func tokenKey() async throws {
            let options = ["--http-listen", "127.0.0.1:0", "--http-token-key-file", "/nonexistent"]
            try await expect(Program(["listen"] + options), status: 7, part: "cannot use the key file /nonexistent")
        }

        @Test("A port in use is exit code 7")
        func portInUse() async throws {
            let trio = try await Trio()
            let address = String(trio.url.dropFirst("ws://".count))
            try await expect(Program(["serve", "--listen", address]), status: 7, part: "in use")
            try await expect(Program(["listen", "--http-listen", address]), status: 7, part: "in use")
        }

        @Test(
            "A missing camera or file is exit code 7, before any call",
            arguments: [
                ("v4l2:/dev/video987", "there is no device '/dev/video987'; callagent devices"),
                ("file:/nowhere/clip.mkv", "there is no file '/nowhere/clip.mkv'; check its path"),
            ])
        func missingSource(source: String, part: String) async throws {
            try await expect(Program(["call", "bob", "--as", "alice", "--video", source]), status: 7, part: part)
        }

        @Test("A missing microphone is one line and exit code 7")
        func noMicrophone() async throws {
            let trio = try await Trio()
            let nowhere = [
                "PIPEWIRE_RUNTIME_DIR": "/nonexistent", "PULSE_SERVER": "unix:/nonexistent/pulse",
                "ALSA_CONFIG_PATH": "/dev/null",
            ]
            try await expect(
                trio.call(["--audio", "mic"], environment: nowhere), status: 7,
                part: "the source 'mic' failed (notFound): no microphone opens by pipewire, pulse, alsa")
        }

        @Test("A missing plugin is exit code 7 and names its package")
        func missingPlugin() async throws {
            let folder = try pluginFolder(without: "libgstvpx.so")
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let program = try Program(
                ["call", "bob", "--as", "alice", "--codec", "vp8"],
                environment: ["GST_PLUGIN_SYSTEM_PATH_1_0": folder, "GST_REGISTRY": folder + "/registry.bin"])
            try await expect(
                program, status: 7,
                part: "its package gstreamer1.0-plugins-good is installed, but GStreamer does not load it")
        }

        /// A folder with all installed plugins but one.
        private func pluginFolder(without missing: String) throws -> String {
            let files = FileManager.default
            let installed = try #require(
                try files.contentsOfDirectory(atPath: "/usr/lib").map { "/usr/lib/\($0)/gstreamer-1.0" }
                    .first { files.fileExists(atPath: $0 + "/" + missing) })
            let folder = NSTemporaryDirectory() + "callagent-plugins-\(UUID().uuidString)"
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for name in try files.contentsOfDirectory(atPath: installed) where name != missing && name.hasSuffix(".so")
            {
                try files.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: "\(installed)/\(name)")
            }
            return folder
        }

        private func expect(
            _ program: Program, status: Int32, part: String, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            #expect(try await program.waitForExit() == status, "\(program.errors)", sourceLocation: sourceLocation)
            #expect(program.errors.contains(part), "\(program.errors)", sourceLocation: sourceLocation)
            #expect(
                program.errors.split(separator: "\n").count == 1, "\(program.errors)", sourceLocation: sourceLocation)
            #expect(program.errors.hasPrefix("callagent: "), "\(program.errors)", sourceLocation: sourceLocation)
        }
    }
}
