import Foundation
import Testing

extension EndToEnd {
    /// The program's output, and its environment.
    @Suite struct OutputTests {
        @Test(
            "If the results cannot be written, the command fails with one line",
            arguments: [["version"], ["demo", "--duration", "100ms", "--json"]])
        func fullDisk(arguments: [String]) async throws {
            let words = arguments.joined(separator: " ")
            let program = try Program(["-c", "exec '\(Program.path)' \(words) > /dev/full"], path: "/bin/sh")
            #expect(try await program.waitForExit() == 7, "\(program.errors)")
            #expect(
                program.errors
                    == "callagent: standard output cannot be written: No space left on device; make room, or write elsewhere\n"
            )
        }

        @Test("A reader that closes its end does not make the program fail")
        func brokenPipe() async throws {
            let program = try Program(
                ["-c", "{ '\(Program.path)' demo --duration 300ms --events; echo status $? >&2; } | head -n 1"],
                path: "/bin/sh")
            #expect(try await program.waitForExit() == 0)
            try await eventually("the status") { program.errors.contains("status 0\n") }
        }

        @Test("Completion scripts are printed and know the options", arguments: ["bash", "zsh", "fish"])
        func completion(shell: String) async throws {
            let program = try Program(["--generate-completion-script", shell])
            #expect(try await program.waitForExit() == 0, "\(program.errors)")
            #expect(program.output.contains("max-duration") && program.output.contains("on-ring"))
            guard shell == "bash" else { return }
            let folder = Folder()
            let file = try folder.write(program.output, "completion")
            let check = try Program(["-n", file], path: "/bin/bash")
            #expect(try await check.waitForExit() == 0, "\(check.errors)")
        }
    }
}
