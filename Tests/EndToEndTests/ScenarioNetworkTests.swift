import Foundation
import TestServers
import Testing

extension EndToEnd {
    /// Scenarios with a network of their own: machines, NATs, and an internet between them.
    @Suite(.enabled(if: NetworkLab.isPossible, "this machine has no network namespaces, or no ip and nft"))
    struct ScenarioNetworkTests {
        private let folder = Folder()

        /// The kinds of the candidates of the pair that alice ends with, or one of them.
        @Test(
            "A call gets through two NATs of any kind: directly where that is possible, by the relay otherwise",
            arguments: [
                ("none", "none", ["host", "host"]), ("cone", "cone", ["srflx", "srflx"]),
                ("cone", "none", ["srflx", "host"]), ("symmetric", "symmetric", ["relay"]),
            ])
        func kinds(alice: String, bob: String, expected: [String]) async throws {
            let calls = try await run(
                """
                parties: {alice: {nat: \(alice)}, bob: {nat: \(bob)}}
                steps: [{party: alice, do: call:bob}]
                duration: 2s
                """)
            let types = ["localCandidateType", "remoteCandidateType"]
            let pair = try types.map { try calls.alice.text("transport.\($0)") }
            // What a check discovers has no other address than a reflexive candidate. One relay is enough.
            let kinds = pair.map { $0 == "prflx" ? "srflx" : $0 }
            #expect(expected == ["relay"] ? kinds.contains("relay") : kinds == expected, "\(pair)")
            try expectMedia(of: calls)
        }

        @Test("A machine that loses its network and gets it again, with another address, keeps its call and its media")
        func changes() async throws {
            let calls = try await run(
                """
                parties: {alice: {nat: cone}, bob: {nat: none}}
                steps:
                  - {party: alice, do: call:bob}
                  - {when: alice connected, at: 1s, party: alice, do: link-down}
                  - {when: bob reconnecting, party: alice, do: change-address}
                  - {party: alice, do: link-up}
                  - {when: bob connected, at: 1s, party: alice, do: move-nat}
                  - {when: bob networkChangeEnded, at: 2s, party: bob, do: hangup}
                """)
            for call in [calls.alice, calls.bob] {
                #expect(try call.number("transport.selectedCandidatePairChanges") >= 2)
                #expect(try call.number("video.received.freezeCount") >= 1)
            }
            try expectMedia(of: calls)
        }

        @Test("Scenarios at a time have networks apart from each other, and nothing of them is left")
        func parallel() async throws {
            var files: [String] = []
            for number in 0..<3 {
                files.append(
                    try folder.write(
                        """
                        parties: {alice: {nat: cone}, bob: {nat: cone}}
                        steps:
                          - {party: alice, do: call:bob}
                          - {when: alice connected, at: 1s, party: bob, do: change-address}
                          - {when: alice networkChangeEnded, at: 1s, party: bob, do: hangup}
                        expect: {all: "video.received.quality.longestFreezeMs<2000"}
                        """, "pair\(number).yaml"))
            }
            let test = try Program(["test", "--parallel", "3"] + files, environment: marker)
            #expect(try await test.waitForExit(within: .seconds(60)) == 0, "\(test.errors) \(test.output)")
            try await eventually("nothing is left") { try namespaces().isEmpty }
        }

        @Test("A signal hangs up, and nothing of the network is left", arguments: [SIGTERM, SIGKILL])
        func interrupted(signal: Int32) async throws {
            let file = try folder.write(
                """
                parties: {alice: {nat: cone}, bob: {nat: cone}}
                steps:
                  - {party: alice, do: call:bob}
                  - {when: alice connected, party: alice, do: snapshot:here.png}
                  - {at: 1h, party: alice, do: hangup}
                within: 2h
                """, "test.yaml")
            let test = try Program(["test", file, "--artifacts", folder.path("out")], environment: marker)
            try await eventually("connected") {
                FileManager.default.fileExists(atPath: folder.path("out/test/here.png"))
            }
            #expect(try namespaces().count == 4, "the program's, the internet's, and those of two routers")
            test.signal(signal)
            #expect(try await test.waitForExit() != 0)
            try await eventually("nothing is left") { try namespaces().isEmpty }
        }

        @Test("A link that stays down fails the scenario")
        func lost() async throws {
            let file = try folder.write(
                """
                parties: {alice: {nat: none}, bob: }
                steps:
                  - {party: alice, do: call:bob}
                  - {when: alice connected, party: bob, do: link-down}
                  - {when: alice reconnecting}
                  - {when: alice connected}
                within: 10s
                """, "test.yaml")
            let test = try Program(["test", file, "--json"])
            #expect(try await test.waitForExit(within: .seconds(30)) == 6)
            #expect(test.errors.contains("'alice connected' did not happen within 10s"), "\(test.errors)")
            // Nothing of the machine arrives: a second of its frames at most, of ten.
            #expect(try calls(in: test).alice.number("video.received.framesReceived") < 60)
        }

        @Test("Without its programs the scenario fails with exit code 7 and says what to install, and others run")
        func missing() async throws {
            for tool in ["sh", "unshare", "nsenter", "cat", "sleep"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder.path(tool), withDestinationPath: "/usr/bin/\(tool)")
            }
            let file = try folder.write("parties: {alice: {nat: cone}, bob: }\nsteps: []\n", "test.yaml")
            let other = try folder.write(
                "parties: {alice: , bob: }\nsteps: [{party: alice, do: call:bob}]\nduration: 500ms\n", "other.yaml")
            let test = try Program(["test", file, other], environment: ["PATH": folder.path(".")])
            #expect(try await test.waitForExit() == 7)
            #expect(
                test.errors.contains("turnserver: not found; sudo apt install iproute2 nftables coturn"),
                "\(test.errors)")
            #expect(test.lines.last == "fail: 1 of 2 scenarios", "\(test.output)")
        }

        @Test(
            "A scenario that is no file is refused, since it is read twice; nor is the network of the machine changed")
        func misused() async throws {
            let file = try folder.write("parties: {alice: {nat: none}}\nsteps: []\n", "test.yaml")
            let stream = try Program(["-c", "cat \(file) | \(Program.path) test /dev/stdin"], path: "/bin/sh")
            #expect(try await stream.waitForExit() == 2)
            #expect(stream.errors.contains("'/dev/stdin' has to be a file"), "\(stream.errors)")
            // In a namespace with a route, as the machine's own has.
            let script = """
                ip link set lo up; ip link add one0 type veth peer name two0
                ip addr add 10.9.9.9/24 dev one0; ip link set one0 up
                \(Program.path) test --in-network-namespace \(file)
                code=$?; ip rule | grep -q '^0:' && exit $code
                """
            let inside = try Program(["--net", "sh", "-c", script], path: "/usr/bin/unshare")
            #expect(try await inside.waitForExit() == 7, "\(inside.errors)")
            #expect(inside.errors.contains("it is no new network namespace"), "\(inside.errors)")
        }

        @Test("A scenario with a server elsewhere is not run together with one that has a network of its own")
        func together() async throws {
            let here = try folder.write("parties: {alice: {nat: none}}\nsteps: []\n", "here.yaml")
            let there = try folder.write(
                "signaling: ws://127.0.0.1:9\nparties: {bob: }\nsteps: []\n", "there.yaml")
            let test = try Program(["test", here, there])
            #expect(try await test.waitForExit() == 2)
            #expect(
                test.errors.contains("\(here) has a network of its own, where the server of \(there) cannot be reached")
            )
        }

        // MARK: Parts

        private typealias Calls = (alice: [String: Any], bob: [String: Any])

        /// Runs a scenario that passes, with one call.
        private func run(_ text: String) async throws -> Calls {
            let file = try folder.write(text, "test.yaml")
            let test = try Program(["test", file, "--json"])
            #expect(try await test.waitForExit(within: .seconds(60)) == 0, "\(test.errors)")
            return try calls(in: test)
        }

        /// The call of a scenario, at both ends.
        private func calls(in test: Program) throws -> Calls {
            let scenario = try #require((try test.document()["scenarios"] as? [[String: Any]])?.first)
            let parties = try #require(scenario["parties"] as? [String: [String: Any]])
            func call(_ party: String) throws -> [String: Any] {
                try #require((parties[party]?["calls"] as? [[String: Any]])?.first)
            }
            return (try call("alice"), try call("bob"))
        }

        /// Pictures that move, and a tone of the right pitch, at both ends.
        private func expectMedia(of calls: Calls) throws {
            for call in [calls.alice, calls.bob] {
                #expect(try call.number("video.received.distinctFrames") > 20)
                #expect(try call.number("video.received.quality.psnrDb.median") > 30)
                #expect(abs(try call.number("audio.received.toneHz") - 440) < 15)
            }
        }

        /// All processes of a program inherit it.
        private let marker = ["SCENARIO_NETWORK_TEST": UUID().uuidString]

        /// The network namespaces of those processes.
        private func namespaces() throws -> Set<String> {
            let files = FileManager.default
            let text = Data((marker.values.first ?? "").utf8)
            let processes = try files.contentsOfDirectory(atPath: "/proc").filter { process in
                guard process.allSatisfy(\.isNumber) else { return false }
                // A process that ended meanwhile has none.
                let variables = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/environ"))
                return variables?.range(of: text) != nil
            }
            return Set(
                processes.compactMap { try? files.destinationOfSymbolicLink(atPath: "/proc/\($0)/ns/net") })
        }
    }
}
