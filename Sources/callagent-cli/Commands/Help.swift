internal import ArgumentParser

/// The help of the program: of commands with many options first those that most calls need.
enum Help {
    /// What to print; nil when `arguments` ask for no help, or for help that the argument parser gives itself.
    static func text(_ arguments: [String]) -> String? {
        let words = arguments.prefix { $0 != "--" }
        let command = words.first { !$0.hasPrefix("-") && $0 != "help" }.flatMap(command)
        if words.contains("--help-all") { return CallAgentCommand.helpMessage(for: command ?? CallAgentCommand.self) }
        guard let command = command as? any ShortHelpCommand.Type,
            words.first == "help" || words.contains("--help") || words.contains("-h")
        else { return nil }
        return short(CallAgentCommand.helpMessage(for: command), command.commonOptions)
    }

    /// The command line that prints the help for `arguments`.
    static func command(_ arguments: [String]) -> String {
        guard let name = arguments.first, command(name) != nil else { return "callagent help" }
        return "callagent \(name) --help"
    }

    private static func command(_ name: String) -> (any ParsableCommand.Type)? {
        CallAgentCommand.configuration.subcommands.first { $0.configuration.commandName == name }
    }

    /// The introduction of `help`, the entries of `options` in this order, and where the others are.
    private static func short(_ help: String, _ options: [String]) -> String {
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // An entry is a line that begins with two spaces and a dash, and the lines below that are indented further.
        var entries: [String: [String]] = [:]
        var introduction: [String] = []
        var name: String?
        for line in lines {
            if line.hasPrefix("  -") {
                name = line.split(separator: " ").first { $0.hasPrefix("--") }.map(String.init)
                if let name { entries[name] = [line] }
            } else if line.hasPrefix("   "), let name {
                entries[name]?.append(line)
            } else if name == nil {
                introduction.append(line)
            }
        }
        // The heading of the first group of options belongs to them.
        while let last = introduction.last, last.isEmpty || last.hasSuffix(":") { introduction.removeLast() }
        let chosen = options.flatMap { entries["--\($0)"] ?? [] }
        let rest = entries.count - options.count
        return
            (introduction + ["", "COMMON OPTIONS:"] + chosen + [
                "", "--help-all lists the other \(rest) options; callagent help lists the exit codes.",
            ])
            .joined(separator: "\n")
    }
}

/// A command with so many options that its help begins with a few of them.
protocol ShortHelpCommand: ParsableCommand {
    /// The options that most users need, without dashes; `--help` has these alone.
    static var commonOptions: [String] { get }
}
