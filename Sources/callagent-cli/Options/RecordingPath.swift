internal import Foundation

/// Checks where a recording goes before a call is placed for it.
enum RecordingPath {
    /// - Throws: a ``Failure`` for a path that cannot be written, or that is there already: a recording replaces nothing.
    static func checked(_ path: String?) throws(Failure) -> String? {
        guard let path else { return nil }
        let files = FileManager.default
        guard !files.fileExists(atPath: path) else {
            throw Failure(.usage, "'\(path)' is there already; name another file to record to")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard files.fileExists(atPath: folder + "/."), files.isWritableFile(atPath: folder)
        else {
            throw Failure(.usage, "cannot record to '\(path)': there is no folder '\(folder)' that can be written to")
        }
        return path
    }
}
