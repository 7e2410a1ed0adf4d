internal import ArgumentParser
internal import CallAgent
internal import Foundation

/// Adds options from a file to the command line.
enum ConfigFile {
    /// The size limit of the file, in bytes.
    private static let longest = 1_048_576

    /// The value of an option in the file.
    private enum Value: Decodable {
        case switched(Bool)
        case text(String)
        case list([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .switched(flag)
            } else if let text = Self.text(container) {
                self = .text(text)
            } else {
                self = .list(try container.decode([Word].self).map(\.text))
            }
        }

        static func text(_ container: any SingleValueDecodingContainer) -> String? {
            if let text = try? container.decode(String.self) { return text }
            if let number = try? container.decode(Int.self) { return String(number) }
            return (try? container.decode(Double.self)).map { String($0) }
        }
    }

    /// A string or a number in a list.
    private struct Word: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let text = Value.text(container) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "neither a string nor a number")
            }
            self.text = text
        }
    }

    /// The arguments with the options of `--config FILE`; the command line wins.
    ///
    /// - Throws: a ``Failure`` that names the file, and the key if one is at fault.
    static func expanded(_ arguments: [String]) throws(Failure) -> [String] {
        let own = arguments.prefix { $0 != "--" }
        guard let path = path(in: Array(own)), let place = arguments.firstIndex(where: { !$0.hasPrefix("-") }),
            let (count, known) = CommandOptions.all(of: arguments[place...]), known["config"] != nil
        else { return arguments }
        // A command may have two words, such as "room join".
        let end = place + count
        let command = arguments[place..<end].joined(separator: " ")
        var added: [String] = []
        for (key, value) in try values(path).sorted(by: { $0.key < $1.key }) {
            guard let option = known[key], !["config", "help", "version"].contains(key) else {
                throw Failure(.usage, "'\(key.printable)' in '\(path)' is no option of callagent \(command)")
            }
            if own.contains(where: { $0 == "--\(key)" || $0.hasPrefix("--\(key)=") }) { continue }
            added += try words(key, value, option, path)
        }
        // In front of the command's own arguments: after a "--" they would not be parsed as options.
        return Array(arguments[..<end]) + added + arguments[end...]
    }

    private static func path(in arguments: [String]) -> String? {
        guard let index = arguments.lastIndex(where: { $0 == "--config" || $0.hasPrefix("--config=") }) else {
            return nil
        }
        if arguments[index] != "--config" { return String(arguments[index].dropFirst("--config=".count)) }
        return arguments.indices.contains(index + 1) ? arguments[index + 1] : nil
    }

    private static func words(
        _ key: String, _ value: Value, _ option: CommandOptions.Option, _ path: String
    ) throws(Failure) -> [String] {
        switch value {
        case .switched(let isOn) where option.isFlag: return isOn ? ["--\(key)"] : []
        case .text(let text) where !option.isFlag: return ["--\(key)=\(text)"]
        case .list(let texts) where option.isRepeating: return texts.map { "--\(key)=\($0)" }
        default:
            let wanted =
                option.isFlag ? "true or false" : option.isRepeating ? "a string or a list" : "a string or a number"
            throw Failure(.usage, "'\(key)' in '\(path)' has the wrong kind of value; use \(wanted)")
        }
    }

    private static func values(_ path: String) throws(Failure) -> [String: Value] {
        let text = try TextFile.read(path, longest: longest)
        let example = #"use an object of option names such as {"signaling": "ws://127.0.0.1:8080"}"#
        guard SignalingLimits.isDecodable(text) else {
            throw Failure(.usage, "'\(path)' is nested too deep, or has a NUL; \(example)")
        }
        do {
            return try JSONDecoder().decode([String: Value].self, from: Data(text.utf8))
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            let reason = (context.underlyingError as NSError?)?.userInfo[NSDebugDescriptionErrorKey] as? String
            throw Failure(.usage, "'\(path)' is no JSON (\(reason ?? context.debugDescription)); \(example)")
        } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
            throw Failure(
                .usage, "'\(context.codingPath[0].stringValue.printable)' in '\(path)' has a value that no option takes"
            )
        } catch DecodingError.dataCorrupted(let context) {
            throw Failure(
                .usage, "'\(context.codingPath[0].stringValue.printable)' in '\(path)' has a value that no option takes"
            )
        } catch DecodingError.valueNotFound(_, let context) where !context.codingPath.isEmpty {
            throw Failure(.usage, "'\(context.codingPath[0].stringValue.printable)' in '\(path)' is null; leave it out")
        } catch {
            throw Failure(.usage, "'\(path)' is no JSON object; \(example)")
        }
    }
}

/// The file with more options.
struct ConfigOptions: ParsableArguments {
    /// ``ConfigFile`` reads it before the parser sees the arguments; it is declared here for help and completion.
    @Option(
        help: ArgumentHelp(
            "Read options from a JSON object with their long names as keys. The command line wins.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var config: String?
}
