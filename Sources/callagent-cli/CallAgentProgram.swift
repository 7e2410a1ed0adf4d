internal import ArgumentParser
internal import Foundation
internal import MediaEngine

/// The program: parses, runs, and turns whatever happens into one line and one exit code.
@main
struct CallAgentProgram {
    static func main() async {
        MediaEngine.limitMallocArenas()
        var hint = "; see callagent help"
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            let expanded = try ConfigFile.expanded(arguments) { CallAgentCommand._dumpHelp() }
            // What the parser says is about words that the command line does not show.
            if expanded != arguments { hint = "; see callagent help, and mind the options of the --config file" }
            var command = try CallAgentCommand.parseAsRoot(expanded)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            if Output.hasLostResults { ExitStatus.prerequisite.leave() }
        } catch let failure as Failure {
            Output.error(failure.line)
            failure.status.leave()
        } catch {
            // Help and version come this way too, with success.
            if CallAgentCommand.exitCode(for: error).isSuccess { CallAgentCommand.exit(withError: error) }
            // One line: what the parser says, without the usage text that help has.
            let text = CallAgentCommand.message(for: error).split(separator: "\n").joined(separator: " ")
            Output.error(text + hint)
            ExitStatus.usage.leave()
        }
    }
}

/// The root of all commands.
struct CallAgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callagent",
        abstract: "Places and takes WebRTC calls without a browser.",
        discussion: """
            Exit codes: 0 done, 2 wrong usage, 3 signaling unreachable or sign-in refused, 4 not answered, \
            5 no media or media lost, 6 an expectation was not met, 7 this machine lacks something, 130 and 143 after \
            SIGINT and SIGTERM.
            """,
        version: Version.text,
        subcommands: [
            DemoCommand.self, ServeCommand.self, ListenCommand.self, CallCommand.self, DoctorCommand.self,
            DevicesCommand.self, PipelinesCommand.self, TokenCommand.self, VersionCommand.self,
        ])
}
