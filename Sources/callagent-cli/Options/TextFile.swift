internal import Foundation

/// Reads small files that a user names.
enum TextFile {
    /// - Throws: a ``Failure`` of wrong usage that names the file and the fault.
    static func read(_ path: String, longest: Int) throws(Failure) -> String {
        let files = FileManager.default
        guard files.fileExists(atPath: path) else { throw Failure(.usage, "there is no file '\(path)'") }
        guard !files.fileExists(atPath: path + "/.") else {
            throw Failure(.usage, "'\(path)' is a folder; name a file")
        }
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: longest + 1) ?? Data()
        else {
            throw Failure(.usage, "'\(path)' cannot be read; check its owner and permissions")
        }
        guard data.count <= longest else { throw Failure(.usage, "'\(path)' is longer than \(longest) bytes") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw Failure(.usage, "'\(path)' is not UTF-8; save it as UTF-8 text")
        }
        return text
    }
}

/// Reads a token from a file that another program renews.
enum TokenFile {
    /// - Throws: a ``Failure`` that names the file; the token itself is never shown.
    static func read(_ path: String) throws(Failure) -> String {
        let token = try TextFile.read(path, longest: 16_384).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else { throw Failure(.usage, "'\(path)' has no token in it") }
        return token
    }
}
