internal import ArgumentParser
internal import Foundation
internal import MediaEngine

/// The program: parses the arguments, runs the command, and reports any error as one line and one exit code.
@main
struct CallAgentProgram {
    static func main() async {
        Engine.limitMallocArenas()
        let arguments = Array(CommandLine.arguments.dropFirst())
        var (expanded, hint) = (arguments, "")
        do {
            try CallAgentCommand.checkCommand(arguments.first)
            hint = "; see \(Help.command(arguments))"
            if arguments.first == "help" { try CallAgentCommand.checkCommand(arguments.dropFirst().first) }
            if let help = Help.text(arguments) {
                Output.line(help)
                ExitStatus.success.leave()
            }
            expanded = try ConfigFile.expanded(arguments)
            // A parser error may be about an option that is not on the command line.
            if expanded != arguments { hint += ", and check the options of the --config file" }
            var command = try CallAgentCommand.parseAsRoot(expanded)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            (Output.hasLostResults ? ExitStatus.prerequisite : .success).leave()
        } catch let failure as Failure {
            for line in failure.earlier + [failure.line] { Output.error(line) }
            failure.status.leave()
        } catch {
            // Help and version also arrive here, with success.
            if CallAgentCommand.exitCode(for: error).isSuccess { CallAgentCommand.exit(withError: error) }
            // One line: the parser's message without its usage text.
            let fault =
                CommandOptions.unknown(in: expanded)
                ?? ParserMessage.line(CallAgentCommand.message(for: error), CommandLine.arguments)
            Output.error(fault + hint)
            ExitStatus.usage.leave()
        }
    }
}

/// The root of all commands.
struct CallAgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callagent",
        abstract: "Places and accepts WebRTC calls without a browser.",
        discussion: """
            Exit codes: 0 done, 2 wrong usage, 3 signaling unreachable or sign-in refused, 4 not answered, \
            5 no media, media lost or a source that failed, 6 an expectation was not met, 7 this machine lacks something, 130 and 143 after \
            SIGINT and SIGTERM.

            Documents: /usr/share/doc/callagent (make install: below PREFIX). cli.md there has all figures, exit codes and end reasons.
            """,
        version: Version.text,
        subcommands: [
            DemoCommand.self, ServeCommand.self, ListenCommand.self, CallCommand.self, PublishCommand.self,
            PlayCommand.self, RoomCommand.self, LoadCommand.self, TestCommand.self, LabCommand.self, DoctorCommand.self,
            DevicesCommand.self, PipelinesCommand.self, TokenCommand.self, VersionCommand.self,
        ])

    /// Refuses an unknown command and suggests a similar one.
    ///
    /// - Throws: a ``Failure``; the argument parser would only report an unexpected argument.
    fileprivate static func checkCommand(_ word: String?) throws(Failure) {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        guard let word, !word.hasPrefix("-"), !names.contains(word) else { return }
        let advice =
            Misspelling.nearest(to: word, among: names).map { "did you mean '\($0)'?" }
            ?? "there are \(names.joined(separator: ", "))"
        throw Failure(.usage, "there is no command '\(word.printable)'; \(advice)")
    }
}
