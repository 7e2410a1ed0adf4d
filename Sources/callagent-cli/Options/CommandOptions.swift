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

    /// The options of `command` by their long names; nil if there is no such command.
    static func all(of command: String, in dump: String) -> [String: Option]? {
        guard let root = try? JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command,
            let found = root.subcommands?.first(where: { $0.commandName == command })
        else { return nil }
        var options: [String: Option] = [:]
        for argument in found.arguments ?? [] {
            for name in argument.names ?? [] where name.kind == "long" {
                options[name.name] = Option(isFlag: argument.kind == "flag", isRepeating: argument.isRepeating)
            }
        }
        return options
    }
}
