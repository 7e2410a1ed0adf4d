internal import ArgumentParser
internal import Foundation
internal import Glibc

/// A file that an option names for a report or a picture.
enum WritableFile {
    /// Refuses a file that cannot be written, before there is anything to write.
    static func check(_ path: String, option: String) throws {
        let files = FileManager.default
        guard !path.isEmpty, !files.fileExists(atPath: path + "/.") else {
            throw ValidationError("\(option): '\(path)' is a folder; name a file in it")
        }
        // A file that is read-only stays as it is.
        let isWritable = !files.fileExists(atPath: path) || files.isWritableFile(atPath: path)
        guard isWritable, isStream(path) || canMakeFile(beside: target(of: path)) else {
            throw ValidationError(
                "\(option): '\(path)' cannot be written; name a file in a folder that is there and may be written to")
        }
    }

    /// Writes a document atomically: a reader of `path` sees all of it or none.
    ///
    /// A device or a pipe gets it directly.
    ///
    /// - Throws: a ``Failure`` if the file cannot be written.
    static func write(_ data: Data, to path: String) throws(Failure) {
        do {
            if isStream(path) {
                let stream = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                try stream.write(contentsOf: data)
                try stream.close()
            } else {
                try data.write(to: URL(fileURLWithPath: target(of: path)), options: .atomic)
            }
        } catch {
            throw Failure(.prerequisite, "cannot write '\(path)': \(error.systemText)")
        }
    }

    /// Whether what is written there goes somewhere else at once: to a device, a pipe, or an open file of a process, such as `/dev/stdout`.
    private static func isStream(_ path: String) -> Bool {
        var information = stat()
        // Follows links.
        guard unsafe stat(path, &information) == 0 else { return false }
        let isProcessFile = ["/dev/", "/proc/"].contains { path.hasPrefix($0) }
        return isProcessFile || information.st_mode & S_IFMT != S_IFREG
    }

    /// The file that a link leads to, which need not exist: it is written in the link's place, and the link stays.
    private static func target(of path: String) -> String {
        var target = path
        // As many links in a row as Linux follows.
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: target) else { break }
            target = URL(fileURLWithPath: next, relativeTo: URL(fileURLWithPath: target)).path
        }
        return target
    }

    /// The file is written beside its place first, so this tries that.
    private static func canMakeFile(beside path: String) -> Bool {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        let trial = folder.appendingPathComponent(".callagent-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: trial) }
        return FileManager.default.createFile(atPath: trial, contents: nil)
    }
}
