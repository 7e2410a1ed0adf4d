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

    private struct Command: Decodable {
        let commandName: String
        let subcommands: [Command]?
        let arguments: [Argument]?
    }

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
    static func all(of words: some Sequence<String>, in dump: String) -> (words: Int, options: [String: Option])? {
        guard let root = try? JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command else { return nil }
        var (command, count) = (root, 0)
        for word in words {
            guard let next = command.subcommands?.first(where: { $0.commandName == word }) else { break }
            (command, count) = (next, count + 1)
        }
        guard count > 0 else { return nil }
        var options: [String: Option] = [:]
        for argument in command.arguments ?? [] {
            for name in argument.names ?? [] where name.kind == "long" {
                options[name.name] = Option(isFlag: argument.kind == "flag", isRepeating: argument.isRepeating)
            }
        }
        return (count, options)
    }
}
