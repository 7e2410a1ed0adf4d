internal import ArgumentParser
internal import Foundation

/// A file that an option names for a report.
enum WritableFile {
    /// Refuses a file that cannot be written, before there is anything to write.
    static func check(_ path: String, option: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let files = FileManager.default
        guard !path.isEmpty, !files.fileExists(atPath: path + "/.") else {
            throw ValidationError("\(option): '\(path)' is a folder; name a file in it")
        }
        // The file is written beside its place first, so try that. A file that is read-only stays as it is.
        let trial = URL(fileURLWithPath: folder).appendingPathComponent(".callagent-\(UUID().uuidString)").path
        let canWrite = files.createFile(atPath: trial, contents: nil)
        if canWrite { try? files.removeItem(atPath: trial) }
        guard canWrite, !files.fileExists(atPath: path) || files.isWritableFile(atPath: path) else {
            throw ValidationError(
                "\(option): '\(path)' cannot be written; name a file in a folder that is there and may be written to")
        }
    }

    /// Writes a document atomically: a reader of `path` sees all of it or none.
    ///
    /// - Throws: a ``Failure`` if the file cannot be written.
    static func write(_ text: String, to path: String) throws(Failure) {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Failure(.prerequisite, "cannot write '\(path)': \(error.localizedDescription)")
        }
    }
}
