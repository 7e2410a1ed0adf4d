import Foundation
import TestServers
import Testing

extension EndToEnd {
    /// The network changes during a call between two machines of a lab.
    @Suite(.enabled(if: NetworkLab.isPossible, "network namespaces need root, iproute2 and nftables"))
    struct NetworkChangeTests {
        /// A call between two programs in a lab, which both have received media for a while.
        private struct LabCall {
            let lab: NetworkLab
            let servers: [Program]
            let alice: Program
            let bob: Program
            let folder: Folder

            init(_ lab: NetworkLab, stun: Bool = false, bob arguments: [String] = []) async throws {
                self.lab = lab
                let url = "ws://\(NetworkLab.server):8080"
                func start(
                    _ place: NetworkLab.Place, _ arguments: [String], path: String = Program.path
                ) throws -> Program {
                    let command = lab.command(at: place, path, arguments)
                    return try Program(command.arguments, path: command.path)
                }
                let server = try start(.internet, ["serve", "--listen", "\(NetworkLab.server):8080", "--events"])
                try await eventually("the server listens") { !server.lines.isEmpty }
                var servers = [server]
                if stun {
                    let turn = try start(
                        .internet,
                        [
                            "-n", "--no-cli", "--no-tls", "--no-dtls", "--listening-ip", NetworkLab.server,
                            "--stun-only", "--log-file", "stdout", "--pidfile", "/dev/null",
                        ], path: "/usr/bin/turnserver")
                    servers.append(turn)
                    try await eventually("the STUN server listens") {
                        try lab.inside(.internet, "ss", "-lun").contains("\(NetworkLab.server):3478")
                    }
                }
                self.servers = servers
                folder = Folder()
                let common =
                    ["--signaling", url, "--events", "--stats-interval", "200ms"]
                    + (stun ? ["--ice-server", "stun:\(NetworkLab.server):3478"] : [])
                let bob = try start(
                    .bob, ["listen", "--as", "bob", "--allow", "alice", "--audio", "tone:554"] + common + arguments)
                self.bob = bob
                try await eventually("bob listens") { bob.hasEvent(["event": "listening"]) }
                alice = try start(
                    .alice,
                    [
                        "call", "bob", "--as", "alice", "--duration", "forever", "--audio", "tone:440", "--record",
                        folder.path("alice.mkv"),
                    ] + common)
                for end in [alice, bob] {
                    try await eventually("connected: \(end.errors)") {
                        end.hasEvent(["event": "stateChanged", "state": "connected"])
                    }
                }
                try await expectMedia()
            }

            /// Waits until new frames and audio arrive at both ends.
            func expectMedia(within limit: Duration = .seconds(20)) async throws {
                for end in [alice, bob] {
                    let before = Self.received(end)
                    try await eventually("media at \(end === alice ? "alice" : "bob")", within: limit) {
                        let now = Self.received(end)
                        return now.frames >= before.frames + 20 && now.samples >= before.samples + 24_000
                    }
                }
            }

            /// Waits until both ends are connected again, and media flows.
            func expectReconnected() async throws {
                for end in [alice, bob] {
                    try await eventually("connected again") {
                        end.count(of: ["event": "stateChanged", "state": "connected"]) == 2
                    }
                }
                try await expectMedia()
            }

            /// How many frames were decoded, and how many samples that were not made up.
            private static func received(_ end: Program) -> (frames: Int, samples: Int) {
                let statistics = end.events.last { $0["event"] as? String == "statistics" }?["statistics"]
                var (frames, samples) = (0, 0)
                for entry in statistics as? [[String: Any]] ?? [] where entry["type"] as? String == "inbound-rtp" {
                    frames += entry["framesDecoded"] as? Int ?? 0
                    samples += entry["totalSamplesReceived"] as? Int ?? 0
                }
                return (frames, samples)
            }

            /// Waits until both ends report the end of a search; returns the path of each.
            func expectNewPath(count: Int = 1) async throws -> [[String: Any]] {
                var paths: [[String: Any]] = []
                for end in [alice, bob] {
                    try await eventually("another path at \(end === alice ? "alice" : "bob")") {
                        Self.changes(end).count >= count
                    }
                    paths.append(try #require(Self.changes(end).last?["after"] as? [String: Any]))
                }
                return paths
            }

            private static func changes(_ end: Program) -> [[String: Any]] {
                end.events.compactMap { $0["networkChange"] as? [String: Any] }
            }

            /// Hangs up, and checks what both ends report of the whole call.
            func end() async throws {
                alice.signal(SIGINT)
                #expect(try await alice.waitForExit() == 130, "\(alice.errors)")
                try await eventually("bob's report") { bob.hasEvent(["event": "report"]) }
                for (end, hertz) in [(alice, 554.0), (bob, 440.0)] {
                    let report = try #require(
                        end.events.last { $0["event"] as? String == "report" }?["report"] as? [String: Any])
                    let audio = try #require((report["audio"] as? [String: Any])?["received"] as? [String: Any])
                    let video = try #require((report["video"] as? [String: Any])?["received"] as? [String: Any])
                    #expect(abs((audio["toneHz"] as? Double ?? 0) - hertz) < 5)
                    let frames = try #require(video["distinctFrames"] as? Int)
                    #expect(frames > 40)
                }
                // One file, of the whole call.
                let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
                #expect(files.count == 1, "\(files)")
                bob.signal(SIGTERM)
                try await bob.waitForExit()
                for server in servers { server.signal(SIGTERM) }
                for server in servers { await server.letEnd(within: .seconds(5)) }
            }
        }

        private static func address(_ path: [String: Any], _ end: String) -> String? {
            (path[end] as? [String: Any])?["address"] as? String
        }

        @Test("The address of an end is replaced: media takes another path, and the call stays connected")
        func address() async throws {
            let call = try await LabCall(try NetworkLab(hasNAT: false))
            try call.lab.replaceAddress()
            let paths = try await call.expectNewPath()
            #expect(Self.address(paths[0], "local") == "10.77.1.3")
            #expect(Self.address(paths[1], "remote") == "10.77.1.3")
            try await call.expectMedia()
            for end in [call.alice, call.bob] { #expect(!end.hasEvent(["state": "reconnecting"])) }
            try await call.end()
        }

        @Test("A second interface comes up and the first one goes: media is never interrupted")
        func interfaces() async throws {
            let call = try await LabCall(try NetworkLab(hasNAT: false))
            try call.lab.addInterface()
            let paths = try await call.expectNewPath()
            #expect(Self.address(paths[0], "local") == "10.77.3.2")
            try await call.expectMedia()
            try call.lab.ip(.alice, "link set eth0 down")
            try await call.expectMedia()
            for end in [call.alice, call.bob] {
                #expect(!end.hasEvent(["state": "reconnecting"]))
                #expect(end.count(of: ["event": "networkChangeStarted"]) == 1)
            }
            try await call.end()
        }

        @Test("The router of an end gets another address: the silence is noticed, and media comes back")
        func router() async throws {
            let call = try await LabCall(try NetworkLab(hasNAT: true), stun: true)
            try call.lab.moveRouter()
            let paths = try await call.expectNewPath()
            #expect(Self.address(paths[0], "local") == "10.77.10.3")
            try await call.expectMedia()
            try await call.end()
        }

        @Test("Nothing passes for a while: the call reconnects by itself")
        func blackout() async throws {
            let call = try await LabCall(try NetworkLab(hasNAT: false))
            try call.lab.setBlackout(true)
            for end in [call.alice, call.bob] {
                try await eventually("reconnecting") {
                    end.hasEvent(["event": "stateChanged", "state": "reconnecting"])
                }
                try await eventually("the search") { end.hasEvent(["event": "networkChangeStarted"]) }
            }
            try call.lab.setBlackout(false)
            try await call.expectReconnected()
            try await call.end()
        }

        @Test("An outage makes the server give up the client: the call reconnects by itself")
        func longBlackout() async throws {
            let call = try await LabCall(try NetworkLab(hasNAT: false), bob: ["--log-level", "debug"])
            try call.lab.setBlackout(true)
            try await eventually("the server answers that alice is not signed in", within: .seconds(40)) {
                call.bob.errors.contains("the error 480")
            }
            try call.lab.setBlackout(false)
            try await call.expectReconnected()
            try await call.end()
        }

        @Test("While it is held, the network changes: the hold stays, and media comes back after it")
        func held() async throws {
            // So long that webrtcbin takes the silent streams for gone (`ForgottenStream`).
            let call = try await LabCall(
                try NetworkLab(hasNAT: false), bob: ["--at", "5s=hold", "--at", "13s=unhold"])
            try await eventually("held") { call.alice.hasEvent(["event": "holdChanged", "hold": "remotelyHeld"]) }
            try call.lab.replaceAddress()
            _ = try await call.expectNewPath()
            #expect(!call.alice.hasEvent(["event": "holdChanged", "hold": "none"]))
            try await eventually("resumed") { call.alice.hasEvent(["event": "holdChanged", "hold": "none"]) }
            try await call.expectMedia()
            try await call.end()
        }
    }
}
