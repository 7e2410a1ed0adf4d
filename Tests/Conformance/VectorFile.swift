package import Foundation

/// The files of `Tests/Vectors`, which `docs/signaling.md` describes.
package enum VectorFile: String, CaseIterable, Sendable {
    case messages
    case delivery
    case routing
    case calls

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Vectors")

    package var url: URL { Self.folder.appending(path: "\(rawValue).json") }

    package var text: String { get throws { try String(contentsOf: url, encoding: .utf8) } }

    package func read() throws -> JSONValue { try JSONValue(text: text) }

    /// Expands the repetitions in a text: `(ab*3)` becomes `ababab`.
    package static func writtenOut(_ text: String) -> String {
        text.replacing(#/\(([^()*]+)\*([0-9]+)\)/#) { match in
            String(repeating: String(match.1), count: Int(match.2) ?? 0)
        }
    }
}
