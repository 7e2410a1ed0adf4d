import Foundation
import Testing

extension EndToEnd {
    /// That the README tells the truth.
    @Suite struct ReadmeTests {
        private var root: URL {
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
        }

        @Test("The README's program is the one that is compiled, and places a call")
        func firstCall() async throws {
            let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
            let source = try String(
                contentsOf: root.appendingPathComponent("Examples/FirstCall/FirstCall.swift"), encoding: .utf8)
            #expect(readme.contains("```swift\n\(source)```"))

            let trio = try await Trio()
            let bob = try await trio.listen()
            let path = URL(fileURLWithPath: Program.path).deletingLastPathComponent().appendingPathComponent(
                "first-call"
            ).path
            let program = try Program([trio.url], path: path)
            #expect(try await program.waitForExit() == 0, "\(program.errors)")
            #expect(program.output.contains("firstVideoShown"))
            // It hangs up at its own first picture, which may be before bob's.
            try await eventually("it told bob") { bob.hasEvent(["reason": "remoteHangup"]) }
        }

        /// The options in a text, whole.
        private static func options(in text: some StringProtocol) -> Set<String> {
            Set(String(text).matches(of: /\B(--[a-z][a-z0-9-]*)/).map { String($0.output.1) })
        }

        @Test("Every option that the README names exists, and those of its command lines belong to their commands")
        func options() async throws {
            let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
            // Of systemctl, and of the argument parser.
            var known: Set = ["--now", "--generate-completion-script"]
            for command in ["demo", "serve", "listen", "call", "doctor", "devices", "pipelines", "token", "version"] {
                let help = try Program(["help", command])
                #expect(try await help.waitForExit() == 0)
                let own = Self.options(in: help.output)
                known.formUnion(own)
                for line in readme.split(separator: "\n") where line.hasPrefix("callagent \(command) ") {
                    let strangers = Self.options(in: line.prefix { $0 != "#" }).subtracting(own)
                    #expect(strangers.isEmpty, "\(line): \(strangers)")
                }
            }
            let strangers = Self.options(in: readme).subtracting(known)
            #expect(strangers.isEmpty, "\(strangers)")
        }

        @Test("doctor finds nothing missing here, and says what it looked at")
        func doctor() async throws {
            let doctor = try Program(["doctor"])
            #expect(try await doctor.waitForExit() == 0, "\(doctor.errors)")
            for part in ["webrtcbin", "encoder vp8", "a call on loopback"] { #expect(doctor.output.contains(part)) }
            #expect(!doctor.output.contains("MISSING"))
        }

        @Test("devices lists what is there, for people and as JSON")
        func devices() async throws {
            let list = try Program(["devices"])
            #expect(try await list.waitForExit() == 0, "\(list.errors)")
            #expect(!list.output.isEmpty)
            let program = try Program(["devices", "--json"])
            #expect(try await program.waitForExit() == 0, "\(program.errors)")
            let document = try #require(
                JSONSerialization.jsonObject(with: Data(program.output.utf8)) as? [String: Any])
            let found = try #require(document["devices"] as? [[String: Any]])
            for device in found { #expect(device["source"] is String && device["formats"] is [Any]) }
        }

        @Test("pipelines lists, shows and checks every description")
        func pipelines() async throws {
            let list = try Program(["pipelines"])
            #expect(try await list.waitForExit() == 0)
            #expect(list.lines.count >= 11)
            let show = try Program(["pipelines", "show", "vp8"])
            #expect(try await show.waitForExit() == 0)
            #expect(show.output.contains("vp8enc") && show.output.contains("vp8dec"))
            let check = try Program(["pipelines", "check"])
            #expect(try await check.waitForExit() == 0, "\(check.errors)")
            #expect(check.lines.allSatisfy { $0.hasPrefix("ok") || $0.hasPrefix("absent") })
        }
    }
}
