import Foundation
import Testing

@testable import callagent_cli

extension EndToEnd {
    /// Scenario files: what they say, and complaints about those that are wrong.
    @Suite struct ScenarioFileTests {
        private static let options = PartyOptions()
        private let folder = Folder()

        @Test("A scenario is read as it is written")
        func whole() throws {
            let scenario = try read(
                """
                name: Everything
                signaling: wss://127.0.0.1/ws
                parties:
                  alice: {video-size: 320x180@15, start-muted: true, as: ann, extension: [a=1, b=2]}
                  bob: {answer: never, record: bob.mkv}
                  robot: {elsewhere: r2d2}
                steps:
                  - {party: alice, do: call-audio:robot}
                  - {when: "bob dtmf:5", at: 1m30s, party: bob, with: alice, do: "info:a: b"}
                  - {when: alice firstVideoShown}
                  - {party: bob, do: reject:486}
                duration: 2
                within: 1m
                expect:
                  all: [connectedMs>1]
                  bob: summary.connected==1
                """)
            #expect(scenario.name == "Everything" && scenario.signaling == "wss://127.0.0.1/ws")
            #expect(scenario.parties.map(\.name) == ["alice", "bob", "robot"])
            #expect(scenario.parties.map(\.user) == ["ann", "bob", "r2d2"])
            let alice = try #require(scenario.party("alice")?.options)
            #expect(alice.source.videoSize == "320x180@15" && alice.start.startMuted)
            #expect(alice.identity.extensionTable == ["a": "1", "b": "2"])
            #expect(alice.agent.signalingURL == "wss://127.0.0.1/ws" && alice.ice.iceInterface.isEmpty)
            #expect(scenario.party("bob")?.options?.sink.record == folder.path("out/bob.mkv"))
            #expect(scenario.party("robot")?.options == nil)
            #expect(
                scenario.steps.map(\.title) == [
                    "alice: call-audio:robot", "when bob dtmf:5, at 90s, bob with alice: info:a: b",
                    "when alice firstVideoShown", "bob: reject:486",
                ])
            #expect(scenario.steps.map(\.line) == [8, 9, 10, 11])
            #expect(scenario.duration == .seconds(2) && scenario.limit.duration == .seconds(60))
            let expected = scenario.expectations.map { "\($0.party): \($0.expectation.description)" }
            #expect(
                expected == ["alice: connectedMs > 1", "bob: connectedMs > 1", "bob: summary.connected == 1"])
        }

        @Test("Without a server of its own media stays on this machine; short forms mean what they say")
        func defaults() throws {
            let scenario = try read(
                """
                parties: {alice: , bob: ~}
                steps: [{party: alice, do: hold}]
                """)
            #expect(scenario.name == folder.path("test.yaml") && scenario.signaling == nil && scenario.duration == nil)
            #expect(scenario.party("bob")?.options?.ice.iceInterface == ["127.0.0.1"])
        }

        /// A file with two parties, and one line more, which is the third.
        private static let head = "parties: {alice: , bob: }\nsteps: []\n"
        private static let steps = "parties: {alice: , bob: {answer: never}}\nsteps:\n"

        private static let faults: [(text: String, fault: String)] = [
            ("", ":1:1: the file is empty"),
            ("- a", ":1:1: a scenario has to be a mapping"),
            ("a: [b", ":2:1: the file is no YAML: did not find expected"),
            ("parties:\n\talice:\n", ":2:1: the file is no YAML: found character"),
            ("parties: " + String(repeating: "[", count: 50_000), ":1:11: the file is no YAML: Maximum nesting"),
            ("a: *b\n", ":1:4: the file is no YAML: found undefined alias"),
            ("name: a\n---\nname: b\n", ":2:1: the file is no YAML: but found another document"),
            ("name: a\nname: b\n", ":1:1: 'name' is there twice"),
            ("parties:\n  1: {}\n  '1': {}\nsteps: []", ":3:3: '1' is there twice"),
            ("steps: []", ":1:1: a scenario needs parties"),
            ("parties: {a: }", ":1:1: a scenario needs steps"),
            ("parties: {}\nsteps: []", ":1:10: a scenario needs a party that runs here"),
            (head + "speps: 1", ":3:1: a scenario has no key 'speps'; did you mean 'steps'?"),
            (head + "network: {loss: 1}", ":3:1: a scenario has no key 'network'; "),
            (head + "name: [a]", ":3:7: the name has to be a text"),
            (head + "within: soon", ":3:9: within: 'soon' is no duration; use 2s, 500ms or 1m30s"),
            (head + "within: 0", ":3:9: within has to be longer than 0"),
            (head + "duration: -1", ":3:11: duration: '-1' is negative"),
            ("parties: [alice]\nsteps: []", ":1:10: parties has to be a mapping"),
            ("parties: {all: }\nsteps: []", ":1:11: 'all' is no name of a party"),
            ("parties: {a b: }\nsteps: []", ":1:11: 'a b' is no name of a party"),
            ("parties:\n  a:\n    vidoe: test\nsteps: []", ":3:5: a party has no key 'vidoe'; did you mean 'video'?"),
            ("parties: {a: {json: true}}\nsteps: []", ":1:15: a party has no key 'json'"),
            ("parties: {a: {busy: maybe}}\nsteps: []", ":1:21: busy is true or false"),
            ("parties: {a: {record: ../b.mkv}}\nsteps: []", ":1:23: '../b.mkv' leads out of the folder"),
            (
                steps + "  - {party: alice, do: 'snapshot:x/../../b.png'}",
                ":3:24: 'x/../../b.png' leads out of the folder"
            ),
            ("parties: {a: {video: [test]}}\nsteps: []", ":1:22: video has to be a text"),
            ("parties: {a: {answer: soon}}\nsteps: []", ":1:23: --answer: 'soon' is no duration"),
            ("parties: {a: {max-calls: 0}}\nsteps: []", ":1:26: --max-calls takes 1 to 1000"),
            ("parties:\n  a: {busy: true, reject: true}\nsteps: []", ":2:3: --reject and --busy exclude each other"),
            (
                "parties: {a: , b: {browser: chromium, video: test}}\nsteps: []",
                ":1:39: a party with a browser has no key 'video'; "
            ),
            ("parties: {a: , b: {browser: [chromium]}}\nsteps: []", ":1:29: browser has to be a text"),
            (
                "parties: {a: , b: {browser: chromium, as: b c}}\nsteps: []",
                ":1:43: 'b c' is no user name"
            ),
            (
                "signaling: mqtt://127.0.0.1\nparties: {a: , b: {browser: chromium}}\nsteps: []",
                ":1:12: a page needs the URL of a server with ws:// or wss://"
            ),
            (
                "signaling: ws://\nparties: {b: {browser: chromium}}\nsteps: []",
                ":1:12: a page needs the URL of a server with ws:// or wss://"
            ),
            (
                "parties: {a: , b: {browser: chromium}}\nsteps: [{when: \"b dtmf:5\"}]",
                ":2:16: a page has no event 'dtmf'; it has captureFailed, "
            ),
            (
                "parties: {a: , b: {browser: chromium}}\nsteps: [{party: b, do: network:none}]",
                ":2:24: a page cannot do this; it can do call:PARTY,"
            ),
            (
                "parties: {a: , b: {browser: chromium}}\nsteps: []\nexpect: {b: audio.received.toneHz>1}",
                ":3:13: a page has no figure 'audio.received.toneHz'"
            ),
            ("parties: {a: {nat: home}}\nsteps: []", ":1:20: 'home' is no NAT; use none, cone or symmetric"),
            (
                "signaling: ws://127.0.0.1\nparties: {a: {nat: cone}}\nsteps: []",
                ":1:12: 'nat' at a makes a network of the scenario's own, where no server outside can be reached"
            ),
            (
                "parties: {a: {nat: cone}, b: {browser: chromium}}\nsteps: []",
                ":1:31: 'nat' at a makes a network of the scenario's own, and a page has none"
            ),
            (
                "parties: {a: {nat: cone}, b: {ice-interface: \"::1\"}}\nsteps: []",
                ":1:31: 'nat' at a makes a network of the scenario's own, which gives each party its interface"
            ),
            (
                "parties: {a: {nat: none}}\nsteps: [{party: a, do: move-nat}]",
                ":2:24: a has no NAT; give that party 'nat: cone' or 'nat: symmetric'"
            ),
            (
                steps + "  - {party: bob, do: link-down}",
                ":3:22: bob has no machine of its own; give that party 'nat: none'"
            ),
            ("parties: {a: , b: {elsewhere: c}}\nsteps: []", ":1:20: a party that runs elsewhere needs 'signaling'"),
            (
                "signaling: ws://127.0.0.1\nparties: {a: , b: {elsewhere: c, video: test}}\nsteps: []",
                ":2:34: the agent of a party that runs elsewhere has no options here"
            ),
            (
                "signaling: ws://127.0.0.1\nparties: {a: , b: {elsewhere: c}}\nsteps: [{party: b, do: hold}]",
                ":3:17: b runs elsewhere; only a party that runs here can act"
            ),
            ("signaling: ws://192.0.2.1\nparties:\n  a:\nsteps: []", ":3:3: on 192.0.2.1 anybody could call"),
            (steps + "  - hold", ":3:5: a step has to be a mapping"),
            (steps + "  - {at: 1s}", ":3:5: a step needs 'party' and 'do', or 'when'"),
            (steps + "  - {do: hold}", ":3:5: a step needs 'party': who does this?"),
            (steps + "  - {when: bob ringing, party: bob}", ":3:32: this party has nothing to do; add 'do'"),
            (steps + "  - {party: carol, do: hold}", ":3:13: there is no party 'carol'; there are alice, bob"),
            (steps + "  - {party: alice, do: hodl}", ":3:24: there is no action 'hodl'; use one of hold,"),
            (steps + "  - {party: alice, do: room:lab}", ":3:24: a scenario has no rooms"),
            (steps + "  - {party: alice, do: network:slow}", ":3:24: 'slow' is no condition of a network; use NAME, "),
            (steps + "  - {party: alice, do: call:carol}", ":3:24: there is no party 'carol'"),
            (steps + "  - {party: alice, do: call:alice}", ":3:24: alice cannot call itself"),
            (
                steps + "  - {party: alice, do: accept}",
                ":3:24: alice answers by itself; give that party 'answer: never'"
            ),
            (steps + "  - {party: bob, do: reject:x}", ":3:22: 'x' is no code of an end"),
            (steps + "  - {party: bob, do: dtmf:x}", ":3:22: 'x' are no DTMF digits"),
            (steps + "  - {party: bob, do: video-size=1x1}", ":3:22: '1x1' is no size"),
            (steps + "  - {party: bob, do: snapshot:a.gif}", ":3:22: "),
            (steps + "  - {party: bob, with: carol, do: hold}", ":3:24: there is no party 'carol'"),
            (
                steps + "  - {when: bob, party: bob, do: hold}",
                ":3:12: write PARTY and what happens, such as 'bob connected'"
            ),
            (steps + "  - {when: bob conected}", ":3:12: 'conected' never happens; did you mean 'connected'?"),
            (steps + "  - {when: \"bob connected:1\"}", ":3:12: 'connected:1' never happens"),
            (steps + "  - {when: carol connected}", ":3:12: there is no party 'carol'"),
            (head + "expect: [a<1]", ":3:9: expect has to be a mapping"),
            (head + "expect: {carol: a<1}", ":3:10: 'carol' is no party that runs here; use all, alice, bob"),
            (head + "expect: {bob: [connectedMs]}", ":3:16: 'connectedMs' has no comparison"),
            (head + "expect: {all: [connectedMs>1, conectedMs>1]}", ":3:31: there is no figure 'conectedMs'"),
            (head + "expect:\n  bob:\n    - [connectedMs>1]", ":5:7: an expectation has to be a text"),
        ]

        @Test("A fault is reported with file, line and column", arguments: faults)
        func fault(text: String, fault: String) throws {
            let error = #expect(throws: Failure.self) { try read(text) }
            #expect(error?.status == .usage)
            #expect(error?.line.hasPrefix(folder.path("test.yaml") + fault) == true, "\(error?.line ?? "")")
        }

        @Test("A file that is no UTF-8, or too long, is refused")
        func unreadable() throws {
            _ = try folder.write(Data([0xFF, 0xFE, 0x00]), "test.yaml")
            #expect(throws: Failure.self) { try reader().read(folder.path("test.yaml")) }
            let long = "# " + String(repeating: "x", count: 300_000)
            let error = #expect(throws: Failure.self) { try read(long) }
            #expect(error?.line.contains("is longer than") == true)
        }

        @Test("docs/cli.md has valid scenarios, and conditions know all events in it")
        func documented() throws {
            let text = try String(contentsOfFile: "docs/cli.md", encoding: .utf8)
            let examples = text.components(separatedBy: "```yaml\n").dropFirst().map {
                $0.components(separatedBy: "```")[0]
            }
            #expect(!examples.isEmpty)
            for example in examples { #expect(try !read(example).steps.isEmpty) }
            let events = try #require(
                text.components(separatedBy: "\n## Events\n").last?.components(separatedBy: "\n## ")[0])
            // Those of a call's own state and of the program's output, and those of agents, have no words or others.
            let others: Set = ["reached", "stateChanged", "statistics", "action", "eventsDropped", "report"]
            let ofCalls = try #require(events.components(separatedBy: "\nSome of these keys are objects").first)
            let names = ofCalls.split(separator: "\n").filter { $0.hasPrefix("| `") }
                .flatMap { row in row.split(separator: "|")[0].matches(of: /`(\w+)`/).map { String($0.output.1) } }
            let missing = Set(names).subtracting(others).subtracting(ScenarioCondition.events)
            #expect(missing.isEmpty, "\(missing)")
            let unknown = ScenarioCondition.events.filter { !events.contains("`\($0)`") }
            #expect(unknown.isEmpty, "\(unknown)")
        }

        @Test("docs/cli.md has all figures, events and actions of a page")
        func documentedPage() throws {
            let text = try String(contentsOfFile: "docs/cli.md", encoding: .utf8)
            let figures = try #require(
                text.components(separatedBy: "\n### Figures of a page\n").last?.components(separatedBy: "\n## ")[0])
            for figure in PageCall.figures where !figure.hasPrefix("timelineMs.") {
                // Such as `end.code`, `video.sent.framesSent` and `audio.received.packetsLost`.
                let names =
                    [figure, figure.split(separator: ".").dropFirst().joined(separator: ".")]
                    + [figure.split(separator: ".").first, figure.split(separator: ".").last].compactMap {
                        $0.map(String.init)
                    }
                #expect(names.contains { figures.contains("`\($0)`") }, "\(figure)")
            }
            let actions = PageUser.actions.split { ", ".contains($0) }.filter { $0 != "and" }
            #expect(actions.count == 20)
            for action in actions { #expect(text.contains("`\(action)`"), "\(action)") }
            #expect(Set(PageUser.events).isSubset(of: ScenarioCondition.events))
        }

        private func reader() -> ScenarioReader {
            ScenarioReader(folder: folder.path("out"), options: Self.options)
        }

        private func read(_ text: String) throws -> Scenario { try reader().read(try folder.write(text, "test.yaml")) }
    }
}
