internal import ArgumentParser
internal import Foundation

/// The options of a command, as the argument parser knows them.
///
/// The parser exposes them only to its own documentation tools, as the JSON of `--experimental-dump-help`. This type reads that JSON.
enum CommandOptions {
    /// One option.
    struct Option: Equatable {
        let isFlag: Bool
        let isRepeating: Bool
    }

    private struct Dump: Decodable { let command: Command }

    private struct Command: Decodable { let arguments: [Argument]? }

    private struct Argument: Decodable {
        let kind: String
        let isRepeating: Bool
        let names: [Name]?
    }

    private struct Name: Decodable {
        let kind: String
        let name: String
    }

    /// How many of the first `words` name a command, such as two in `room join lab`, and its options by their long names; nil if none does.
    static func all(of words: some Sequence<String>) -> (words: Int, options: [String: Option])? {
        var (command, count) = (CallAgentCommand.self as any ParsableCommand.Type, 0)
        for word in words {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else { break }
            (command, count) = (next, count + 1)
        }
        // The parser would need ten times as long for all commands.
        guard count > 0, let dump = try? JSONDecoder().decode(Dump.self, from: Data(command._dumpHelp().utf8)) else {
            return nil
        }
        var options: [String: Option] = [:]
        for argument in dump.command.arguments ?? [] {
            for name in argument.names ?? [] where name.kind == "long" {
                options[name.name] = Option(isFlag: argument.kind == "flag", isRepeating: argument.isRepeating)
            }
        }
        return (count, options)
    }

    /// What is wrong with the first option in `arguments` that the command does not have; nil if it has them all.
    ///
    /// The argument parser finds this fault last, after a missing or impossible value that only follows from it.
    static func unknown(in arguments: [String]) -> String? {
        guard let place = arguments.firstIndex(where: { !$0.hasPrefix("-") }),
            let known = all(of: arguments[place...])?.options
        else { return nil }
        let words = arguments.prefix { $0 != "--" }
        func name(_ word: String) -> String { String(word.dropFirst(2).prefix { $0 != "=" }) }
        guard
            let unknown = words.firstIndex(where: {
                $0.hasPrefix("--") && known[name($0)] == nil && !common.contains(name($0))
            })
        else { return nil }
        let name = name(words[unknown])
        // It may be meant as a value.
        if unknown > 0, words[unknown - 1].hasPrefix("--"),
            known[String(words[unknown - 1].dropFirst(2))]?.isFlag == false
        {
            return "Missing value for '\(words[unknown - 1])'; a value that begins with -- has to follow a ="
        }
        let near = Misspelling.nearest(to: name, among: Array(known.keys).sorted())
        return "Unknown option '--\(name.printable)'" + (near.map { ". Did you mean '--\($0)'?" } ?? "")
    }

    /// Of every command, and of the parser itself.
    private static let common: Set = ["help", "help-all", "help-hidden", "version", "generate-completion-script"]
}
