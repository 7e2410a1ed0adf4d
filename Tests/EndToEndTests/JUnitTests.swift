import Foundation
import FoundationXML
import Testing

extension EndToEnd {
    /// The result file of `--junit`.
    @Suite struct JUnitTests {
        private let folder = Folder()

        @Test("A successful demo is a suite of calls and expectations without a failure")
        func passed() async throws {
            let path = folder.path("verdict.xml")
            try "what was there before".write(toFile: path, atomically: false, encoding: .utf8)
            let demo = try Program([
                "demo", "--calls", "2", "--duration", "300ms", "--expect", "summary.connected==2", "--junit", path,
            ])
            #expect(try await demo.waitForExit() == 0, "\(demo.errors)")
            let suite = try suite(path)
            #expect(
                suite.attributes == [
                    "tests": "3", "failures": "0", "errors": "0", "skipped": "0", "name": "callagent demo",
                ])
            #expect(suite.cases.map(\.name) == ["call 1 to bob", "call 2 to bob", "summary.connected == 2"])
            #expect(suite.cases.allSatisfy { $0.failure == nil })
            #expect(suite.cases[0].seconds > 0.3)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["verdict.xml"])
        }

        @Test("Failed calls and expectations have the reason, with any characters escaped")
        func failed() async throws {
            let trio = try await Trio()
            let path = folder.path("verdict.xml")
            let alice = try trio.call(
                ["--junit", path, "--expect", "connectedMs<5", "--expect", "summary.connected<=0"], to: "nobody")
            #expect(try await alice.waitForExit() == 4)
            let suite = try suite(path)
            #expect(suite.attributes["tests"] == "3" && suite.attributes["failures"] == "2")
            #expect(suite.cases[0].failure?.contains("unknownUser (404)") == true)
            #expect(suite.cases[1].failure?.contains("connectedMs < 5, but call 1 (with nobody") == true)
            #expect(suite.cases[2].failure == nil)
        }

        @Test("A command that fails before its calls is an error of the suite")
        func error() async throws {
            let path = folder.path("verdict.xml")
            let alice = try Program([
                "call", "bob", "--as", "alice", "--signaling", "ws://127.0.0.1:1", "--junit", path,
            ])
            #expect(try await alice.waitForExit() == 3)
            let suite = try suite(path)
            #expect(suite.attributes["errors"] == "1")
            #expect(suite.cases.first?.failure?.contains("cannot reach the signaling server") == true)
        }

        @Test("A file that cannot be written does not hide why a call failed")
        func fullDisk() async throws {
            let trio = try await Trio()
            let alice = try trio.call(["--junit", "/dev/full"], to: "nobody")
            #expect(try await alice.waitForExit() == 4, "\(alice.errors)")
            #expect(
                alice.errors.contains("nobody") && alice.errors.contains("'/dev/full': No space left on device"),
                "\(alice.errors)")
        }

        @Test("The listener writes the same for its end, also when a signal ends it")
        func listener() async throws {
            let trio = try await Trio()
            let path = folder.path("verdict.xml")
            let bob = try await trio.listen(["--junit", path])
            let alice = try trio.call(["--duration", "200ms"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            try await eventually("the report") { bob.hasEvent(["event": "report"]) }
            bob.signal(SIGTERM)
            #expect(try await bob.waitForExit() == 143)
            #expect(try suite(path).cases.map(\.name) == ["call 1 of alice"])
        }

        @Test("A link stays and leads to the report; a device and an open file of the process get it")
        func link() async throws {
            let (link, file) = (folder.path("link.xml"), folder.path("verdict.xml"))
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
            for path in [link, "/dev/null", "/dev/stdout"] {
                let demo = try Program(["demo", "--duration", "200ms", "--junit", path])
                #expect(try await demo.waitForExit() == 0, "\(demo.errors)")
                #expect(demo.output.contains("<testsuite") == (path == "/dev/stdout"))
            }
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
            #expect(try suite(file).cases.count == 1)
            #expect(
                try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
                    == .typeCharacterSpecial)
        }

        @Test("A report to standard output comes after what was printed, also when that is a file")
        func redirected() async throws {
            let file = folder.path("output.txt")
            let demo = try Program(
                ["-c", #""$0" demo --duration 200ms --junit /dev/stdout > "$1""#, Program.path, file], path: "/bin/sh")
            #expect(try await demo.waitForExit() == 0, "\(demo.errors)")
            let parts = try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "<?xml")
            #expect(parts.count == 2 && parts[0].contains("pass: 1 of 1") && parts[1].contains("</testsuite>"))
        }

        @Test("A file that cannot be written is wrong usage, before any call")
        func unwritable() async throws {
            for path in [folder.path("none/verdict.xml"), folder.path("."), "/proc/verdict.xml"] {
                let demo = try Program(["demo", "--junit", path])
                #expect(try await demo.waitForExit() == 2)
                #expect(demo.errors.contains("--junit: "), "\(demo.errors)")
                #expect(demo.output.isEmpty)
            }
        }

        private struct Suite {
            var attributes: [String: String] = [:]
            var cases: [(name: String, seconds: Double, failure: String?)] = []
        }

        private func suite(_ path: String) throws -> Suite {
            let document = try XMLDocument(contentsOf: URL(fileURLWithPath: path))
            let root = try #require(document.rootElement())
            #expect(root.name == "testsuites")
            let element = try #require(root.elements(forName: "testsuite").first)
            var suite = Suite()
            for attribute in element.attributes ?? [] where attribute.name != "time" {
                suite.attributes[attribute.name ?? ""] = attribute.stringValue
            }
            suite.cases = element.elements(forName: "testcase").map { one in
                let complaint = one.elements(forName: "failure").first ?? one.elements(forName: "error").first
                return (
                    one.attribute(forName: "name")?.stringValue ?? "",
                    Double(one.attribute(forName: "time")?.stringValue ?? "") ?? -1,
                    complaint?.attribute(forName: "message")?.stringValue
                )
            }
            return suite
        }
    }
}
