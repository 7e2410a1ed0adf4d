import Foundation
import FoundationXML
import TestServers
import Testing

extension EndToEnd {
    /// Scenarios that run in the program.
    @Suite struct ScenarioTests {
        private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("scenarios")
        private let folder = Folder()

        /// Two parties that call each other.
        private static let pair = "parties: {alice: , bob: }\nsteps:\n  - {party: alice, do: call:bob}\n"

        @Test("Every shipped scenario passes, and each step and expectation is in the reports", .timeLimit(.minutes(5)))
        func shipped() async throws {
            // Those with a browser are among the tests with peers. Some machines allow no networks.
            let others = ["browser.yaml"] + (NetworkLab.isPossible ? [] : ["nat.yaml"])
            let files = try FileManager.default.contentsOfDirectory(atPath: Self.root.path)
                .filter { !others.contains($0) }.sorted()
            #expect(files.count >= 20)
            let test = try Program(
                ["test"] + files.map { Self.root.appendingPathComponent($0).path } + [
                    "--json", "--junit", folder.path("tests.xml"), "--html", folder.path("tests.html"), "--artifacts",
                    folder.path("out"),
                ])
            #expect(try await test.waitForExit(within: .seconds(240)) == 0, "\(test.errors)")
            let document = try test.document()
            #expect(try document.number("verdict.passed") == Double(files.count))
            let scenarios = try #require(document["scenarios"] as? [[String: Any]])
            #expect(scenarios.count == files.count)
            var checks = 0
            for scenario in scenarios {
                #expect(scenario["passed"] as? Bool == true, "\(scenario["file"] ?? ""): \(scenario["text"] ?? "")")
                let steps = try #require(scenario["steps"] as? [[String: Any]])
                let expectations = try #require(scenario["expectations"] as? [[String: Any]])
                #expect(!steps.isEmpty && !expectations.isEmpty)
                #expect(steps.allSatisfy { $0["passed"] as? Bool == true && $0["atMs"] is Double })
                #expect(expectations.allSatisfy { $0["met"] as? Bool == true && $0["actual"] is NSNumber })
                checks += steps.count + expectations.count + 1
            }
            let suite = try suite(folder.path("tests.xml"))
            #expect(suite.tests == checks && suite.failures.isEmpty && suite.errors.isEmpty)
            let html = try String(contentsOfFile: folder.path("tests.html"), encoding: .utf8)
            for scenario in scenarios { #expect(html.contains(try scenario.text("name"))) }
            #expect(html.contains(#"<span class="verdict pass">"#) && html.contains("<polyline"))
            for plot in ["received, kbit/s", "frames received a second", "frozen, ms", "delay of the latest frame, ms"]
            {
                #expect(html.contains(plot))
            }
            #expect(html.contains("caller alice") && html.contains("callee bob"))
            #expect(html.contains("data:image/png;base64,iVBORw0KGgo"))
            // The recording and the snapshot of the peer.
            let recording = try Data(contentsOf: URL(fileURLWithPath: folder.path("out/recording/visit.mkv")))
            #expect(recording.count > 20_000 && recording.prefix(4) == Data([0x1A, 0x45, 0xDF, 0xA3]))
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("out/recording/alice.png"))).count > 1_000)
        }

        @Test("With --network each scenario runs once on each network, and a party keeps its own")
        func networks() async throws {
            let file = try folder.write(
                "name: Pair\nparties: {alice: , bob: {network: none}}\nsteps:\n  - {party: alice, do: call:bob}\nduration: 2s\n",
                "pair.yaml")
            let test = try Program([
                "test", file, "--network", "delay=80ms", "--network", "none", "--json", "--artifacts",
                folder.path("out"),
            ])
            #expect(try await test.waitForExit() == 0, "\(test.errors)")
            let scenarios = try #require(try test.document()["scenarios"] as? [[String: Any]])
            #expect(scenarios.compactMap { $0["name"] as? String } == ["Pair (delay=80ms)", "Pair (none)"])
            #expect(scenarios.compactMap { $0["network"] as? String } == ["delay=80ms", "none"])
            let trips = try scenarios.map { scenario in
                let parties = try #require(scenario["parties"] as? [String: [String: Any]])
                let calls = try #require(parties["alice"]?["calls"] as? [[String: Any]])
                let transport = try #require(calls[0]["transport"] as? [String: Any])
                return try #require(transport["roundTripTimeMs"] as? Double)
            }
            // Only what alice sends is delayed.
            #expect(trips[0] >= 80 && trips[0] < 160 && trips[1] < 80)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted() == [
                    "pair-delay=80ms", "pair-none",
                ])
        }

        @Test("lab compares networks: what each of them does to a call is in its row")
        func lab() async throws {
            let lab = try Program([
                "lab", "none", "delay=60ms,loss=3%", "--duration", "3s", "--video-size", "320x180@15", "--html",
                folder.path("lab.html"),
            ])
            #expect(try await lab.waitForExit() == 0, "\(lab.errors)")
            let rows = lab.lines.map { $0.split(separator: " ").map(String.init) }
            #expect(rows.map(\.first) == ["network", "none", "delay=60ms,loss=3%"])
            // connected, frames, longest freeze, delay p95, MOS, lost, video, round trip: a value and mostly a unit each
            func column(_ row: [String], _ unit: String, _ number: Int) throws -> Double {
                let places = row.indices.filter { row[$0] == unit }
                return try #require(Double(row[places[number] - 1]))
            }
            for row in rows.dropFirst() { #expect(try column(row, "%", 0) > 80) }
            #expect(try column(rows[1], "ms", 0) < column(rows[2], "ms", 0))
            #expect(try column(rows[2], "ms", 2) >= 60 && column(rows[2], "ms", 3) >= 120)
            #expect(try column(rows[1], "ms", 3) < 120)
            #expect(try String(contentsOfFile: folder.path("lab.html"), encoding: .utf8).contains("<polyline"))
            let wrong = try Program(["lab", "5g"])
            #expect(try await wrong.waitForExit() == 2)
            #expect(wrong.errors.contains("'5g' is no condition of a network"))
        }

        @Test("lab --list says what each network does, in words that make the same network")
        func listedNetworks() async throws {
            func list(_ arguments: [String]) async throws -> Program {
                let list = try Program(["lab", "--list"] + arguments)
                #expect(try await list.waitForExit() == 0, "\(list.errors)")
                return list
            }
            let names = [
                "none", "lte,loss=5%", "steps,delay=100ms", "none/500ms:burst=2,reorder=1.5%", "rate=1500/2s:queue=1s",
            ]
            let listed = try await list(names)
            let words = listed.lines.map { String($0.split(separator: " ")[1]) }
            #expect(
                words == [
                    "none", "delay=30ms,jitter=15ms,loss=5%,rate=8000k",
                    "delay=100ms,rate=4000k/3000ms:rate=500k/7000ms:rate=2000k", "none/500ms:burst=2,reorder=1.5%",
                    "rate=1.5k/2000ms:queue=1000ms",
                ])
            func conditions(_ networks: [String]) async throws -> NSArray {
                let output = try await list(["--json"] + networks).output
                let entries = try #require(
                    try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]])
                #expect(entries.compactMap { $0["network"] as? String } == networks)
                return entries.map { $0.filter { $0.key != "network" } } as NSArray
            }
            #expect(try await conditions(names) == conditions(words))
            #expect(try await list([]).lines.count == 8)
        }

        @Test("An expectation that is not met fails, and every report has the value")
        func unmet() async throws {
            let good = try folder.write(Self.pair + "duration: 500ms\n", "good.yaml")
            let bad = try folder.write(
                Self.pair
                    + "name: Too <long>\nduration: 500ms\nexpect:\n  bob: [summary.connected==7, connectedMs>100]\n",
                "bad.yaml")
            let reports = ["--junit", folder.path("tests.xml"), "--html", folder.path("tests.html")]
            let test = try Program(["test", bad, good, "--parallel", "2"] + reports)
            #expect(try await test.waitForExit() == 6, "\(test.errors)")
            let complaint = "bob: expected summary.connected == 7, but it is 1"
            #expect(
                test.errors.split(separator: "\n") == [
                    "callagent: \(bad): \(complaint)", "callagent: 1 of 2 scenarios failed",
                ])
            #expect(test.lines.contains("  ✗ \(complaint)"), "\(test.output)")
            #expect(test.lines.contains { $0.hasPrefix("  ✓ bob: connectedMs > 100 (") }, "\(test.output)")
            #expect(test.lines.contains { $0.hasPrefix("✓ \(good)") })
            #expect(test.lines.last == "fail: 1 of 2 scenarios")
            let suite = try suite(folder.path("tests.xml"))
            #expect(suite.failures == ["expected summary.connected == 7, but it is 1"] && suite.errors.isEmpty)
            let html = try String(contentsOfFile: folder.path("tests.html"), encoding: .utf8)
            #expect(html.contains("✗ Too &lt;long&gt;") && html.contains("but it is 1"))
            #expect(html.contains(#"<span class="verdict fail">"#) && !html.contains("<long>"))
            let json = try Program(["test", bad, "--json"])
            #expect(try await json.waitForExit() == 6)
            let document = try json.document()
            #expect(try document.number("verdict.exitCode") == 6 && document.number("verdict.failed") == 1)
            let scenario = try #require((document["scenarios"] as? [[String: Any]])?.first)
            #expect(try scenario.text("text") == complaint)
            let expectation = try #require((scenario["expectations"] as? [[String: Any]])?.first)
            #expect(expectation["met"] as? Bool == false && expectation["actual"] as? Double == 1)
        }

        private static let failures: [(text: String, status: Int32, complaint: String)] = [
            // An action that the call refuses.
            (
                "parties: {alice: , bob: {answer: never}}\nsteps:\n  - {party: alice, do: call:bob}\n"
                    + "  - {when: bob ringing, party: alice, do: hold}\n  - {party: alice, do: hangup}\n"
                    + "expect: {all: end.code>0}\n",
                6, "line 4: when bob ringing, alice: hold: was refused: hold is not possible while"
            ),
            // A condition that does not come true.
            (
                pair + "  - {when: \"bob info:hello\"}\n  - {party: alice, do: hangup}\nwithin: 2s\n",
                6, "line 4: when bob info:hello: 'bob info:hello' did not happen within 2s"
            ),
            // Calls that nobody ends.
            (pair + "within: 2s\n", 6, "calls were still up after 2s"),
            // An action without a call.
            (
                "parties: {alice: }\nsteps: [{party: alice, do: hold}]\nwithin: 1s\n", 6,
                "alice has no call for this"
            ),
            // A call that cannot be placed.
            (
                "parties: {alice: {video: none, audio: none}, bob: }\nsteps: [{party: alice, do: call:bob}]\n",
                6, "the call would have neither audio nor video"
            ),
            // An end that no expectation judges.
            (
                "parties: {alice: , bob: {reject: true}}\nsteps: [{party: alice, do: call:bob}]\n",
                4, "alice: the call ended with remoteRejected (603)"
            ),
            // Media that does not arrive.
            (
                "parties: {alice: {require-media: true}, bob: {video: none}}\nsteps: [{party: alice, do: call:bob}]\n"
                    + "duration: 500ms\n",
                5, "alice: bob sent no video"
            ),
            // A server that is not there.
            (
                "signaling: ws://127.0.0.1:1\nparties: {alice: }\nsteps: []\n", 3,
                "cannot reach the signaling server"
            ),
            // A device that is not there.
            (
                "parties: {alice: {video: v4l2:/dev/video77}}\nsteps: []\n", 7,
                "alice: the source 'v4l2:/dev/video77' failed"
            ),
        ]

        @Test("What else fails gives the exit code of a call, and the line says what", .namesCases)
        static func failing() async {
            // More programs would only wait for the processor.
            await together(failures, most: 3) { text, status, complaint in
                let folder = Folder()
                let file = try folder.write(text, "test.yaml")
                let test = try Program(["test", file])
                #expect(try await test.waitForExit() == status, "\(test.output) \(test.errors)")
                #expect(
                    test.errors.contains("callagent: \(file): ") && test.errors.contains(complaint), "\(test.errors)")
                #expect(test.lines.last == "fail: 0 of 1 scenarios", "\(test.output)")
                #expect(test.output.contains("✗"), "\(test.output)")
            }
        }

        @Test("One bad file among good ones is wrong usage, and nothing starts")
        func badFile() async throws {
            let good = try folder.write(Self.pair + "duration: 1s\n", "good.yaml")
            let bad = try folder.write(Self.pair + "durration: 1s\n", "bad.yaml")
            let worse = try folder.write("parties: {alice: {video: tset}}\nsteps: []\n", "worse.yaml")
            let parse = try Program(["test", good, bad, folder.path("none.yaml")])
            #expect(try await parse.waitForExit() == 2)
            #expect(
                parse.errors.split(separator: "\n") == [
                    "callagent: \(bad):4:1: a scenario has no key 'durration'; did you mean 'duration'?",
                    "callagent: there is no file '\(folder.path("none.yaml"))'",
                ])
            let sources = try Program(["test", good, worse])
            #expect(try await sources.waitForExit() == 2)
            #expect(
                sources.errors == "callagent: \(worse):1:26: --video: 'tset' is no source; did you mean 'test'?\n")
            #expect(parse.output.isEmpty && sources.output.isEmpty)
        }

        @Test(
            "Bad options are refused",
            arguments: [
                ([], "Missing expected argument '<files>"),
                (["x.yaml", "--parallel", "0"], "--parallel takes 1 to 64"),
                (["x.yaml", "--html", "/"], "--html: '/' is a folder"),
                (["x.yaml", "--artifacts", "/proc/none"], "--artifacts: cannot make the folder"),
            ])
        func options(arguments: [String], text: String) async throws {
            let test = try Program(["test"] + arguments)
            #expect([2, 7].contains(try await test.waitForExit()))
            #expect(test.errors.contains(text) && test.output.isEmpty, "\(test.errors)")
        }

        @Test("A signal hangs up; the reports have what ran, and the rest did not begin", arguments: [SIGINT, SIGTERM])
        func interrupted(signal: Int32) async throws {
            let trio = try await Trio()
            let bob = try await trio.listen()
            let file = try folder.write(
                """
                signaling: \(trio.url)
                parties: {alice: {ice-interface: 127.0.0.1}, bob: {elsewhere: bob}}
                steps:
                  - {party: alice, do: call:bob}
                  - {when: alice connected, at: 1h, party: alice, do: hangup}
                within: 2h
                """, "test.yaml")
            let test = try Program(["test", file, file, "--json", "--junit", folder.path("tests.xml")])
            try await eventually("connected") { bob.hasEvent(["event": "stateChanged", "state": "connected"]) }
            test.signal(signal)
            #expect(try await test.waitForExit() == 128 + signal)
            try await eventually("bob's end") { bob.hasEvent(["event": "stateChanged", "reason": "remoteHangup"]) }
            let document = try test.document()
            #expect(try document.number("verdict.exitCode") == Double(128 + signal))
            #expect(try document.number("verdict.notRun") == 2)
            #expect((document["scenarios"] as? [[String: Any]])?.count == 1)
            #expect(
                try suite(folder.path("tests.xml")).errors.first?.hasPrefix("interrupted: 2 of 2 scenarios") == true)
            bob.signal(SIGINT)
        }

        @Test("A party that runs elsewhere is called at its own server, and the calls of this end are judged")
        func elsewhere() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--audio", "tone:554"])
            let file = try folder.write(
                """
                signaling: \(trio.url)
                parties:
                  tester: {as: alice, ice-interface: 127.0.0.1}
                  robot: {elsewhere: bob}
                steps:
                  - {party: tester, do: call:robot}
                  - {when: tester connected, party: tester, with: robot, do: "dtmf:7"}
                duration: 1500ms
                expect: {all: [audio.received.toneHz>543, audio.received.toneHz<565]}
                """, "test.yaml")
            let test = try Program(["test", file])
            #expect(try await test.waitForExit() == 0, "\(test.errors)")
            #expect(bob.hasEvent(["event": "dtmf", "digit": "7", "peer": "alice"]))
            bob.signal(SIGINT)
        }

        private func suite(_ path: String) throws -> (tests: Int, failures: [String], errors: [String]) {
            let document = try XMLDocument(contentsOf: URL(fileURLWithPath: path))
            let element = try #require(document.rootElement()?.elements(forName: "testsuite").first)
            let cases = element.elements(forName: "testcase")
            let texts = { (name: String) in
                cases.flatMap { $0.elements(forName: name) }
                    .compactMap { $0.attribute(forName: "message")?.stringValue }
            }
            return (cases.count, texts("failure"), texts("error"))
        }
    }
}
