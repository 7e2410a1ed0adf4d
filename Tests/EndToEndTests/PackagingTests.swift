import Foundation
import Testing

extension EndToEnd {
    /// The files of `make install`.
    @Suite struct PackagingTests {
        private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().path
        private static let verifier = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        private let folder = Folder()

        @Test(
            "make install puts program, units, documents, examples and completions below PREFIX, and make uninstall takes them away"
        )
        func install() async throws {
            try await make("install")
            let installed = try files()
            for name in [
                "bin/callagent", "lib/systemd/system/callagent-listen@.service",
                "lib/systemd/system/callagent-serve.service",
                "share/bash-completion/completions/callagent", "share/zsh/site-functions/_callagent",
                "share/fish/vendor_completions.d/callagent.fish", "share/doc/callagent/examples/listen-bob.json",
                "share/doc/callagent/examples/scenarios/basic-call.yaml",
                "share/doc/callagent/cli.md", "share/doc/callagent/signaling.md",
            ] { #expect(installed.contains("opt/calls/" + name), "\(installed)") }
            let readme = try String(
                contentsOfFile: folder.path("opt/calls/share/doc/callagent/README.md"), encoding: .utf8)
            let links = Set(readme.matches(of: /\]\(([\w-]+\.(md|webp))/).map { String($0.output.1) })
            #expect(links.count > 6)
            // How to build and test concerns the source tree only.
            for link in links.subtracting(["CONTRIBUTING.md"]) {
                #expect(installed.contains("opt/calls/share/doc/callagent/" + link), "\(link)")
            }
            let unit = try String(
                contentsOfFile: folder.path("opt/calls/lib/systemd/system/callagent-serve.service"), encoding: .utf8)
            #expect(unit.contains("ExecStart=/opt/calls/bin/callagent serve"))
            try await make("uninstall")
            #expect(try files() == [])
        }

        @Test("systemd accepts the units without a warning", .enabled(if: verifier != nil))
        func units() async throws {
            let source = Self.root + "/packaging/systemd"
            var units: [String] = []
            for name in try FileManager.default.contentsOfDirectory(atPath: source) {
                // The program that the unit starts must exist.
                let text = try String(contentsOfFile: source + "/" + name, encoding: .utf8)
                    .replacingOccurrences(of: "/usr/local/bin/callagent", with: Program.path)
                units.append(try folder.write(text, name.replacingOccurrences(of: "@.", with: "@bob.")))
            }
            #expect(units.count == 2)
            let verify = try Program(["verify", "--man=no"] + units, path: try #require(Self.verifier))
            #expect(try await verify.waitForExit() == 0, "\(verify.errors)")
            let complaints = verify.errors.split(separator: "\n").filter { $0.contains("callagent-") }
            #expect(complaints.isEmpty, "\(complaints)")
        }

        @Test("The example configuration is accepted unchanged")
        func example() async throws {
            let example = Self.root + "/packaging/examples/listen-bob.json"
            let bob = try Program(["listen", "--as", "bob", "--config", example, "--signaling", "ws://127.0.0.1:1"])
            #expect(try await bob.waitForExit() == 3, "\(bob.errors)")
        }

        private func make(_ target: String) async throws {
            let make = try Program(
                [
                    "-s", "-C", Self.root, target, "BINARY=\(Program.path)", "DESTDIR=\(folder.path("").dropLast())",
                    "PREFIX=/opt/calls",
                ], path: "/usr/bin/make")
            #expect(try await make.waitForExit() == 0, "\(make.errors)")
        }

        private func files() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: folder.path("")).filter { name in
                !FileManager.default.fileExists(atPath: folder.path(name) + "/.")
            }
        }
    }
}
