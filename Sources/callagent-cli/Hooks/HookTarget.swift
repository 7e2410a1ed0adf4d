internal import ArgumentParser
internal import Foundation
internal import HTTPClient

/// The target of a hook, used when a call rings, is connected or ends.
enum HookTarget: Sendable, Equatable {
    /// A program and its arguments.
    case command(path: String, arguments: [String])
    /// A server that receives the data as JSON.
    case webhook(HTTPURL)

    /// Whether the target uses TLS.
    var isSecure: Bool { if case .webhook(let url) = self { url.isSecure } else { false } }

    /// Parses an option: an `http://` or `https://` URL, or a command line without a shell.
    ///
    /// Spaces separate words, except inside `'…'` and `"…"`. Nothing is expanded.
    ///
    /// - Throws: a `ValidationError` that explains the fault, also for a program that does not exist.
    init(parsing argument: String) throws {
        if argument.hasPrefix("http://") || argument.hasPrefix("https://") {
            self = .webhook(try WebHook.url(parsing: argument))
            return
        }
        let words = try Self.words(argument)
        guard let name = words.first, !name.isEmpty else {
            throw ValidationError("use a command or an http:// or https:// URL")
        }
        guard let path = Executable.path(of: name) else {
            throw ValidationError("'\(name)' is no program that can be run; give its path")
        }
        self = .command(path: path, arguments: Array(words.dropFirst()))
    }

    static func words(_ line: String) throws -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "'" || character == "\"" {
                (quote, word) = (character, word ?? "")
            } else if character.isWhitespace {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { throw ValidationError("a quotation mark is not closed") }
        return words + (word.map { [$0] } ?? [])
    }
}
