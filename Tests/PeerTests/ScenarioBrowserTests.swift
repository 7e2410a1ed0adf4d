import Foundation
import Testing

@testable import callagent_cli

extension Peers {
    /// Scenarios with a party that uses the server's page in a browser.
    @Suite struct ScenarioBrowserTests {
        private let folder = NSTemporaryDirectory() + "callagent-\(UInt32.random(in: 0...UInt32.max))"

        init() throws {
            try BrowserKind.chromium.require()
            try FileManager.default.createDirectory(atPath: folder + "/tmp", withIntermediateDirectories: true)
        }

        @Test("The shipped scenario passes, and each report has the page's end beside the agent's")
        func shipped() async throws {
            defer { remove() }
            let test = try Program(
                ["test", "scenarios/browser.yaml", "--json", "--html", folder + "/test.html"], environment: environment)
            #expect(try await test.waitForExit(within: .seconds(60)) == 0, "\(test.errors)")
            let played = Report(try #require((test.document()["scenarios"] as? [[String: Any]])?.first))
            let page = Report(try #require(played.calls(of: "bob").first))
            let agent = Report(try #require(played.calls(of: "alice").first))
            #expect(page.text("callId") == agent.text("callId") && page.text("role") == "callee")
            #expect(page.text("end.reason") == "localHangup" && page.text("end.by") == "bob")
            #expect(agent.text("end.reason") == "remoteHangup")
            #expect(page.number("video.received.frameWidth") == 640)
            let stages = try Set(#require(page.document["timelineMs"] as? [String: Double]).keys)
            #expect(stages.contains("firstVideoShown") && stages.contains("firstAudioHeard"))
            for figure in PageCall.figures where !figure.hasPrefix("timelineMs") {
                #expect(page.number(figure) != nil, "\(figure)")
            }
            #expect(try #require(page.number("connectedMs")) > 2_000)
            #expect(try #require(page.number("timelineMs.firstVideoShown")) > 0)
            let html = try String(contentsOfFile: folder + "/test.html", encoding: .utf8)
            let caller = try #require(html.range(of: "caller alice"))
            let callee = try #require(html.range(of: "callee bob, a page in a browser"))
            #expect(caller.lowerBound < callee.lowerBound)
            #expect(html.components(separatedBy: "<div class=\"ends\">").count == 2)
            try await leavesNothing()
        }

        @Test("A page places a call, and acts and waits like an agent; the peer receives what it sends")
        func caller() async throws {
            defer { remove() }
            let test = try start(
                """
                parties: {page: {browser: chromium, as: carol}, bob: {answer: never, audio: silence}}
                steps:
                  - {party: page, do: call-audio:bob}
                  - {when: bob ringing, party: bob, do: accept}
                  - {when: page firstAudioHeard, at: 1s, party: page, do: "dtmf:5"}
                  - {when: "bob dtmf:5", party: page, do: hold}
                  - {when: "bob holdChanged:remotelyHeld", at: 500ms, party: page, do: unhold}
                  - {when: "bob holdChanged:none", party: bob, do: "info:hello"}
                  - {when: "page info:hello", party: page, do: add-video}
                  - {when: bob firstVideoShown, party: page, do: stop-video}
                  - {when: "bob peerMediaChanged:video=off", party: page, do: start-video}
                  - {when: "bob peerMediaChanged:video=on", party: page, do: restart-ice}
                  - {when: bob networkChangeEnded, at: 1s, party: page, with: bob, do: hangup}
                expect:
                  page: [video.sent.framesSent>5, audio.received.silentMs>200, summary.connected==1, end.code==9901]
                  bob: [video.received.framesDecoded>5, audio.received.samples>48000, audio.received.rtpPacketsWhileOff==0]
                """, ["--json"])
            #expect(try await test.waitForExit(within: .seconds(60)) == 0, "\(test.errors)")
            let played = Report(try #require((test.document()["scenarios"] as? [[String: Any]])?.first))
            let bob = Report(try #require(played.calls(of: "bob").first))
            #expect(bob.text("peer") == "carol" && bob.text("role") == "callee")
            try await leavesNothing()
        }

        @Test("The caller's page hangs up when the duration is over")
        func duration() async throws {
            defer { remove() }
            let test = try start(
                """
                parties: {page: {browser: chromium}, bob: }
                steps: [{party: page, do: call:bob}]
                duration: 1s
                expect: {page: [connectedMs>1000, connectedMs<5000, end.code==9901], bob: end.code==9900}
                """)
            #expect(try await test.waitForExit(within: .seconds(60)) == 0, "\(test.errors)")
        }

        private static let pair =
            "parties: {alice: , page: {browser: chromium}}\nsteps:\n  - {party: alice, do: call:page}\n"

        @Test(
            "What fails at the page gives the exit code of a call, and the line says what",
            arguments: [
                // An expectation that is not met.
                (
                    pair + "  - {when: page ringing, party: page, do: accept}\nduration: 1s\n"
                        + "expect: {page: video.received.framesDecoded<1}\n",
                    6, "page: expected video.received.framesDecoded < 1, but it is"
                ),
                // An end that no expectation judges.
                (
                    pair + "  - {when: page ringing, party: page, do: reject}\nexpect: {alice: end.code==603}\n",
                    4, "page: the call ended with localRejected (603)"
                ),
                // An action that the page refuses.
                (
                    pair + "  - {when: page ringing, party: page, do: hold}\n  - {party: alice, do: hangup}\n"
                        + "expect: {all: end.code>0}\n",
                    6, "line 4: when page ringing, page: hold: was refused: Error: the page's call is ringing"
                ),
                // An action without a call.
                (
                    "parties: {page: {browser: chromium}}\nsteps: [{party: page, do: hold}]\nwithin: 1s\n", 6,
                    "page has no call for this"
                ),
                // A browser that is not there, and a program that is none.
                (
                    "parties: {page: {browser: netscape}}\nsteps: []\n", 7,
                    "page: there is no program 'netscape'; install a Chromium"
                ),
                ("parties: {page: {browser: \"true\"}}\nsteps: []\n", 7, "page: the browser ended with status 0"),
                // A browser that cannot start says why.
                (
                    "parties: {page: {browser: /usr/bin/false}}\nsteps: []\n", 7,
                    "page: the browser ended with status 1"
                ),
                // A page without video has no figure of it.
                (
                    "parties: {alice: , page: {browser: chromium}}\nsteps:\n  - {party: alice, do: call-audio:page}\n"
                        + "  - {when: page ringing, party: page, do: accept}\nduration: 1s\n"
                        + "expect: {page: video.received.packetsLost==0}\n",
                    6, "page: expected video.received.packetsLost == 0, but call 1 (with alice"
                ),
                // A second call of the page.
                (
                    "parties: {alice: , bob: , page: {browser: chromium}}\nsteps:\n  - {party: page, do: call:bob}\n"
                        + "  - {when: page connected, party: page, do: call:alice}\n  - {party: page, do: hangup}\n",
                    6, "was refused: Error: there is a call already"
                ),
                // A server without the page.
                (
                    "signaling: ws://127.0.0.1:1\nparties: {page: {browser: chromium}}\nsteps: []\n", 3,
                    "page: it cannot open http://127.0.0.1:1/: net::ERR_"
                ),
            ] as [(String, Int32, String)])
        func failing(text: String, status: Int32, complaint: String) async throws {
            defer { remove() }
            let test = try start(text)
            #expect(try await test.waitForExit(within: .seconds(60)) == status, "\(test.output) \(test.errors)")
            #expect(test.errors.contains(complaint), "\(test.errors)")
            try await leavesNothing()
        }

        @Test("A page that the server refuses says why")
        func refused() async throws {
            defer { remove() }
            let key = folder + "/key"
            try Data((0..<32).map { _ in UInt8.random(in: 33...126) }).write(to: URL(fileURLWithPath: key))
            let server = try await CallServer(["--token-key-file", key])
            let test = try start("signaling: \(server.url)\nparties: {page: {browser: chromium}}\nsteps: []\n")
            #expect(try await test.waitForExit(within: .seconds(60)) == 3)
            #expect(test.errors.contains("page: Error: This server requires a token."), "\(test.errors)")
        }

        @Test("A page that reports what it should not fails the scenario, and so does a page of something else")
        func strangePages() async throws {
            defer { remove() }
            let pages = folder + "/pages"
            try FileManager.default.createDirectory(atPath: pages, withIntermediateDirectories: true)
            let strange = """
                <form id="sign-in-form"><input id="user"></form><p id="sign-in-error"></p>
                <script>
                document.getElementById("sign-in-form").addEventListener("submit", (event) => {
                  event.preventDefault();
                  const call = async () => callagentReport('{ "number": "one" }');
                  globalThis.callagent = { agent: Object.assign(new EventTarget(), { call, close() {} }) };
                });
                </script>
                """
            try strange.write(toFile: pages + "/index.html", atomically: false, encoding: .utf8)
            try "export const stages = [];".write(toFile: pages + "/callagent.js", atomically: false, encoding: .utf8)
            let server = try Program(
                ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", pages], path: "/usr/bin/python3")
            defer { server.signal(SIGKILL) }
            try await eventually("a port") { !server.lines.isEmpty }
            // Serving HTTP on 127.0.0.1 port 40123 (…)
            let port = try #require(server.lines[0].split(separator: " ").first { Int($0) != nil })
            let url = "ws://127.0.0.1:\(port)"
            let parties = "parties: {page: {browser: chromium}, robot: {elsewhere: bob}}\n"
            let reports = try start("signaling: \(url)\n\(parties)steps: [{party: page, do: call:robot}]\n")
            #expect(try await reports.waitForExit(within: .seconds(60)) == 6)
            let complaint = "call:robot: was refused: the page reports what this program does not know: "
            #expect(reports.errors.contains(complaint), "\(reports.errors)")
            let other = try start("signaling: \(url)/callagent.js\n\(parties)steps: []\n")
            #expect(try await other.waitForExit(within: .seconds(60)) == 3)
            #expect(other.errors.contains("page: Error: this is not the page of callagent serve"), "\(other.errors)")
            try await leavesNothing()
        }

        /// What ends a scenario before its time.
        enum Blow: CaseIterable {
            case browserKilled
            case pageKilled
            case interrupted
        }

        @Test(
            "A browser or a page that dies ends the scenario, and the line says so; a signal ends the browser",
            arguments: Blow.allCases)
        func ends(blow: Blow) async throws {
            defer { remove() }
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"] + Program.tellsMoments)
            let test = try start(
                """
                signaling: \(server.url)
                parties: {page: {browser: chromium}, robot: {elsewhere: bob}}
                steps: [{party: page, do: call:robot}]
                within: 1h
                """, ["--json"])
            _ = try await bob.event(["event": "stateChanged", "state": "connected"], within: .seconds(30))
            // The browser beeps once a second.
            try await eventually("video and a beep") { bob.perceptions.contains(.everything) }
            let browser = try #require(test.children.first)
            switch blow {
            case .browserKilled: kill(browser, SIGKILL)
            case .pageKilled: for page in try renderers(of: browser) { kill(page, SIGKILL) }
            case .interrupted: test.signal(SIGINT)
            }
            #expect(
                try await test.waitForExit(within: .seconds(30)) == (blow == .interrupted ? 130 : 5), "\(test.errors)")
            let complaint =
                switch blow {
                case .browserKilled: "page: the call ended with mediaFailed (9906): signal 9 ended the browser"
                case .pageKilled: "page: the call ended with mediaFailed (9906): the page crashed"
                case .interrupted: ""
                }
            #expect(complaint.isEmpty || test.errors.contains(complaint), "\(test.errors)")
            #expect(try Report(test.document()).number("verdict.exitCode") == (blow == .interrupted ? 130 : 5))
            let report = try await bob.report()
            #expect(blow != .interrupted || report.text("end.reason") == "remoteHangup")
            try await leavesNothing()
            try await eventually("the browser ends") { kill(browser, 0) != 0 }
        }

        @Test("A signal ends a browser that waits for its server, and a browser that does not answer")
        func interruptedEarly() async throws {
            defer { remove() }
            // It accepts connections and says nothing.
            let silent = try Program(
                [
                    "-c",
                    "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True); s.accept(); import time; time.sleep(600)",
                ],
                path: "/usr/bin/python3")
            defer { silent.signal(SIGKILL) }
            try await eventually("a port") { !silent.lines.isEmpty }
            let port = silent.lines[0]
            let deaf = folder + "/deaf"
            try "#!/bin/sh\nexec sleep 600\n".write(toFile: deaf, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: deaf)
            for browser in ["chromium", deaf] {
                let test = try start(
                    "signaling: ws://127.0.0.1:\(port)\nparties: {page: {browser: \(browser)}, other: {browser: chromium}}\nsteps: []\n",
                    ["--json"])
                try await eventually("the browser runs") { try !test.children.isEmpty }
                test.signal(SIGINT)
                #expect(try await test.waitForExit(within: .seconds(10)) == 130, "\(test.errors)")
                #expect(try Report(test.document()).number("verdict.exitCode") == 130)
                try await leavesNothing()
            }
        }

        /// The processes below a browser that run a page.
        private func renderers(of browser: Int32) throws -> [Int32] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { pid in
                let command = (try? String(contentsOfFile: "/proc/\(pid)/cmdline", encoding: .utf8)) ?? ""
                return command.contains("--type=renderer") && getsid(pid) == browser
            }
        }

        // MARK: The folder

        private var environment: [String: String] { ["TMPDIR": folder + "/tmp"] }

        private func start(_ text: String, _ arguments: [String] = []) throws -> Program {
            let file = folder + "/test.yaml"
            try text.write(toFile: file, atomically: false, encoding: .utf8)
            return try Program(["test", file] + arguments, environment: environment)
        }

        /// Neither a profile nor another file of the browser stays.
        private func leavesNothing() async throws {
            try await eventually("no files of the browser") {
                try FileManager.default.contentsOfDirectory(atPath: folder + "/tmp").isEmpty
            }
        }

        private func remove() { try? FileManager.default.removeItem(atPath: folder) }
    }
}

extension Report {
    /// The calls of a party of a scenario.
    fileprivate func calls(of party: String) -> [[String: Any]] {
        let parties = document["parties"] as? [String: [String: Any]]
        return parties?[party]?["calls"] as? [[String: Any]] ?? []
    }
}
