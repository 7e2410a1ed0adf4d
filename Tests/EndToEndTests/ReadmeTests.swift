import Foundation
import TestServers
import Testing

extension EndToEnd {
    /// The README and the documents about the program are correct.
    @Suite struct ReadmeTests {
        private var root: URL {
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
        }

        @Test("The program in the README equals the compiled one, which places a call")
        func firstCall() async throws {
            let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
            let source = try String(
                contentsOf: root.appendingPathComponent("Examples/FirstCall/FirstCall.swift"), encoding: .utf8)
            #expect(readme.contains("```swift\n\(source)```"))
            let article = try String(
                contentsOf: root.appendingPathComponent("Sources/CallAgent/CallAgent.docc/FirstCall.md"),
                encoding: .utf8)
            #expect(article.contains("```swift\n\(source)```"))

            let trio = try await Trio()
            let bob = try await trio.listen()
            let path = URL(fileURLWithPath: Program.path).deletingLastPathComponent().appendingPathComponent(
                "first-call"
            ).path
            let program = try Program([trio.url], path: path)
            #expect(try await program.waitForExit() == 0, "\(program.errors)")
            #expect(program.output.contains("firstVideoShown"))
            // The program hangs up at its own first frame, which may be before bob's first frame.
            try await eventually("it told bob") { bob.hasEvent(["reason": "remoteHangup"]) }
        }

        private static let swift = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { "\($0)/swift" }.first(where: FileManager.default.isExecutableFile(atPath:))

        @Test(
            "SwiftPM accepts the README's lines for Package.swift, and this package has the products in them",
            .enabled(if: swift != nil, "there is no Swift toolchain"))
        func package() async throws {
            let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
            let lines = try #require(
                readme.components(separatedBy: "```swift\n").first { $0.hasPrefix("dependencies:") }?
                    .components(separatedBy: "```").first)
            let folder = Folder()
            _ = try folder.write(
                """
                // swift-tools-version:6.2
                import PackageDescription
                let package = Package(name: "FirstCall", \(lines))
                """, "Package.swift")
            let (theirs, ours) = (try await manifest(folder.path(""), folder), try await manifest(root.path, folder))
            let dependency = try #require(
                ((theirs["dependencies"] as? [[String: Any]])?.first?["fileSystem"] as? [[String: Any]])?.first)
            #expect(try dependency.text("identity") == ours.text("name"))
            let products = Set((ours["products"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String })
            let target = try #require((theirs["targets"] as? [[String: Any]])?.first)
            #expect(try target.text("name") == "FirstCall" && target.text("type") == "executable")
            let used = try #require(target["dependencies"] as? [[String: Any]]).map { entry in
                try #require(entry["product"] as? [Any]).compactMap { $0 as? String }
            }
            #expect(used.count == 3 && used.allSatisfy { products.contains($0[0]) && $0[1] == "callagent" }, "\(used)")
            // The program imports nothing else.
            let source = try String(
                contentsOf: root.appendingPathComponent("Examples/FirstCall/FirstCall.swift"), encoding: .utf8)
            let imports = source.split(separator: "\n").filter { $0.hasPrefix("import ") }.map { $0.dropFirst(7) }
            #expect(imports == used.map { $0[0][...] }.sorted())
        }

        /// What SwiftPM reads from the manifest in a folder.
        private func manifest(_ path: String, _ scratch: Folder) async throws -> [String: Any] {
            let swift = try Program(
                ["package", "--package-path", path, "--scratch-path", scratch.path("build"), "dump-package"],
                path: try #require(Self.swift))
            #expect(try await swift.waitForExit() == 0, "\(swift.errors)")
            return try swift.document()
        }

        /// The command lines in the README: those of shell blocks, and indented ones outside of blocks.
        private func commandLines() throws -> [String] {
            let text = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
            var (block, lines): (String?, [String]) = (nil, [])
            for line in text.components(separatedBy: "\n") {
                if line.hasPrefix("```") {
                    block = block == nil ? String(line.dropFirst(3)) : nil
                } else if block.map({ $0 == "sh" }) ?? line.hasPrefix("    ") {
                    lines.append(line.trimmingCharacters(in: .whitespaces))
                }
            }
            return lines
        }

        /// Those of them that run this program.
        private func commands() throws -> [String] { try commandLines().filter { $0.hasPrefix("callagent ") } }

        @Test("Every command line in the README runs this program or make, and the Makefile has every target")
        func kinds() throws {
            for line in try commandLines() {
                #expect(line.hasPrefix("callagent ") || line.hasPrefix("make "), "no test runs this: \(line)")
            }
            let text = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
            let makefile = try String(contentsOf: root.appendingPathComponent("Makefile"), encoding: .utf8)
            let targets = Set(makefile.matches(of: /(?m)^([a-z][a-z0-9-]*):/).map { $0.output.1 })
            let inText = text.matches(of: /`(?:sudo )?make ([^`\s]+)[^`]*`/).map { $0.output.1 }
            let inLines = try commandLines().compactMap { $0.firstMatch(of: /^make (\S+)/)?.output.1 }
            #expect(inText.count > 2 && inLines.count > 1)
            let missing = Set(inText + inLines).subtracting(targets)
            #expect(missing.isEmpty, "\(missing)")
        }

        @Test("Every command in the README runs; cameras and addresses that are not here are the only changes")
        func everyCommand() async throws {
            let (trio, folder, certificate) = (try await Trio(), Folder(), try TestCertificate())
            let bob = try await trio.listen(["--max-calls", "9"])
            for (name, file) in [("cert.pem", certificate.certificate.path), ("key.pem", certificate.key.path)] {
                _ = try folder.write(try Data(contentsOf: URL(fileURLWithPath: file)), name)
            }
            _ = try folder.write("a secret of more than thirty-two bytes for tests", "server.key")
            _ = try folder.write("of the media server", "door.token")
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("scenarios"), withDestinationPath: root.appendingPathComponent("scenarios").path)
            let commands = try commands()
            #expect(commands.count >= 10)
            for command in commands {
                let program = try run(command, in: folder, trio)
                switch command.split(separator: " ")[1] {
                case "serve":
                    try await eventually(command) { program.output.contains("signaling at") }
                    program.signal(SIGINT)
                    #expect(try await program.waitForExit() == 130, "\(command): \(program.errors)")
                case "listen":
                    try await eventually(command) { program.output.contains("listening as") }
                    program.signal(SIGINT)
                    #expect(try await program.waitForExit() == 130, "\(command): \(program.errors)")
                case "publish":
                    // There is no media server; PeerTests have some.
                    try await eventually(command) { program.errors.contains("trying again in 1 s") }
                    program.signal(SIGINT)
                    #expect(try await program.waitForExit() == 130, "\(command): \(program.errors)")
                case "play":
                    #expect(try await program.waitForExit() == 3, "\(command): \(program.errors)")
                    #expect(program.errors.contains("cannot reach the media server at http://127.0.0.1:9/whep/door"))
                default:
                    #expect(
                        try await program.waitForExit(within: .seconds(40)) == 0, "\(command): \(program.errors)")
                }
            }
            #expect(bob.exitStatus == nil)
            #expect(FileManager.default.fileExists(atPath: folder.path("verdict.xml")))
            #expect(FileManager.default.fileExists(atPath: folder.path("bob.png")))
        }

        private func run(_ command: String, in folder: Folder, _ trio: Trio) throws -> Program {
            var line = command
            // A test of a few calls, on a machine that may be slow, with ports of its own.
            for (from, to) in [
                ("--repeat 20", "--repeat 2"), ("connected==20", "connected==2"),
                ("--calls 20", "--calls 2"), ("Frame)<500", "Frame)<20000"), (" & sleep 1", ""),
                ("127.0.0.1:8080", "127.0.0.1:0"), ("0.0.0.0:8443", "127.0.0.1:0"), ("--duration 10s", "--duration 1s"),
                ("--duration 5s", "--duration 2s"),
                ("wss://calls.example.org:8443", trio.url), ("v4l2:/dev/video0", "test"),
                ("--audio mic", "--audio tone"), ("https://sfu.example.org", "http://127.0.0.1:9"),
                ("192.0.2.7", "127.0.0.1:9"),
            ] { line = line.replacingOccurrences(of: from, with: to) }
            if line == "callagent serve" { line += " --listen 127.0.0.1:0" }
            if line.hasPrefix("callagent call") || line.hasPrefix("callagent listen") {
                line += " --ice-interface 127.0.0.1"
                // Names of this test, beside the bob who answers.
                line = line.replacingOccurrences(of: "--as bob", with: "--as robert")
            }
            let bin = URL(fileURLWithPath: Program.path).deletingLastPathComponent().path
            return try Program(
                ["-c", "cd '\(folder.path(""))' && PATH='\(bin)':$PATH && exec \(line)"], path: "/bin/bash",
                environment: ["CALLAGENT_SIGNALING": trio.url])
        }

        /// The full options in a text.
        private static func options(in text: some StringProtocol) -> Set<String> {
            Set(String(text).matches(of: /\B(--[a-z][a-z0-9-]*)/).map { String($0.output.1) })
        }

        @Test("Every option in the documents exists, and options in command lines belong to their commands")
        func options() async throws {
            let text = try ["README.md", "docs/cli.md", "docs/server.md", "docs/performance.md"]
                .map { try String(contentsOf: root.appendingPathComponent($0), encoding: .utf8) }
                .joined(separator: "\n")
            // Options of systemctl and of the argument parser.
            var known: Set = ["--now", "--generate-completion-script", "--help", "--help-all"]
            for command in [
                "demo", "serve", "listen", "call", "publish", "play", "load", "test", "doctor", "devices", "pipelines",
                "token", "version",
            ] {
                let help = try Program([command, "--help-all"])
                #expect(try await help.waitForExit() == 0)
                let own = Self.options(in: help.output)
                known.formUnion(own)
                for line in text.split(separator: "\n") where line.hasPrefix("callagent \(command) ") {
                    let strangers = Self.options(in: line.prefix { $0 != "#" }).subtracting(own)
                    #expect(strangers.isEmpty, "\(line): \(strangers)")
                }
            }
            let strangers = Self.options(in: text).subtracting(known)
            #expect(strangers.isEmpty, "\(strangers)")
        }

        @Test("doctor finds nothing missing here, and lists what it checked")
        func doctor() async throws {
            let doctor = try Program(["doctor"])
            #expect(try await doctor.waitForExit() == 0, "\(doctor.errors)")
            for part in ["webrtcbin", "encoder vp8", "a call on loopback"] { #expect(doctor.output.contains(part)) }
            #expect(!doctor.output.contains("MISSING"))
            #expect(doctor.output.hasSuffix("this machine can make calls\n"))
        }

        @Test("doctor fails for an element that is missing, and names it, its package and the verdict")
        func incompleteMachine() async throws {
            // All plugins but that of VP8 and VP9.
            let folder = Folder()
            for place in try FileManager.default.contentsOfDirectory(atPath: "/usr/lib") {
                let plugins = "/usr/lib/\(place)/gstreamer-1.0"
                for name in (try? FileManager.default.contentsOfDirectory(atPath: plugins)) ?? []
                where name.hasSuffix(".so") && name != "libgstvpx.so" {
                    try FileManager.default.createSymbolicLink(
                        atPath: folder.path(name), withDestinationPath: "\(plugins)/\(name)")
                }
            }
            let environment = [
                "GST_PLUGIN_SYSTEM_PATH_1_0": folder.path("."), "GST_PLUGIN_PATH_1_0": "",
                "GST_REGISTRY_1_0": folder.path("registry.bin"),
            ]
            let text = try Program(["doctor"], environment: environment)
            #expect(try await text.waitForExit() == 7, "\(text.output)")
            let verdict = try #require(text.lines.last)
            #expect(verdict.contains(/^this machine cannot make calls: \d parts that they need are missing$/))
            #expect(text.errors.hasPrefix("callagent: \(verdict); first: the GStreamer element 'vp8"), "\(text.errors)")
            #expect(text.lines.contains { $0.hasPrefix("MISSING  encoder vp8 ") && $0.contains("plugins-good") })
            #expect(text.lines.contains { $0.hasPrefix("ok       encoder h264 ") })

            let json = try Program(["doctor", "--json"], environment: environment)
            #expect(try await json.waitForExit() == 7, "\(json.errors)")
            let document = try json.document()
            #expect(try document.text("verdict") == verdict)
            let findings = try #require(document["findings"] as? [[String: Any]])
            let vp8 = try #require(findings.first { $0["check"] as? String == "encoder vp8" })
            #expect(vp8["ok"] as? Bool == false && vp8["isRequired"] as? Bool == true)
        }

        @Test("devices lists the present devices, as text and as JSON")
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

        @Test("pipelines lists, prints and checks every description")
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
