internal import Foundation

/// A file with a token, which somebody else renews.
enum TokenFile {
    /// - Throws: a ``Failure`` that names the file; the token itself is never shown.
    static func read(_ path: String) throws(Failure) -> String {
        let token = try TextFile.read(path, longest: 16_384).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else { throw Failure(.usage, "'\(path)' has no token in it") }
        return token
    }
}
