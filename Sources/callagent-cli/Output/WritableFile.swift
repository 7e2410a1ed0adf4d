internal import ArgumentParser
internal import Foundation
internal import Glibc

/// A file that an option names for a report or a snapshot.
enum WritableFile {
    /// Refuses a file that cannot be written, before there is anything to write.
    static func check(_ path: String, option: String) throws {
        let files = FileManager.default
        guard !path.isEmpty, !files.fileExists(atPath: path + "/.") else {
            throw ValidationError("\(option): '\(path)' is a folder; name a file in it")
        }
        if openFile(path) != nil { return }
        // A file that is read-only stays as it is.
        let isWritable = !files.fileExists(atPath: path) || files.isWritableFile(atPath: path)
        guard isWritable, isStream(path) || canMakeFile(beside: target(of: path)) else {
            throw ValidationError(
                "\(option): '\(path)' cannot be written; name a file in a folder that is there and may be written to")
        }
    }

    /// Writes a document atomically: a reader of `path` sees all of it or none.
    ///
    /// A device, a pipe, or an open file of this process such as `/dev/stdout` gets it directly.
    ///
    /// - Throws: a ``Failure`` if the file cannot be written.
    static func write(_ data: Data, to path: String) throws(Failure) {
        do {
            if let file = openFile(path) {
                try file.write(contentsOf: data)
            } else if isStream(path) {
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

    /// The open file of this process that a path names.
    ///
    /// Opening the path would begin at the start of a file to which standard output is redirected, and is not possible for a socket.
    private static func openFile(_ path: String) -> FileHandle? {
        let names = ["/dev/stdout": "1", "/dev/stderr": "2"]
        let path = names[path].map { "/dev/fd/" + $0 } ?? path
        guard let number = path.wholeMatch(of: /\/(?:dev|proc\/self)\/fd\/(\d{1,9})/).flatMap({ Int32($0.1) }),
            fcntl(number, F_GETFD) != -1
        else { return nil }
        return FileHandle(fileDescriptor: number)
    }

    /// Writes a report; what the calls did matters more than a report that cannot be written.
    ///
    /// - Throws: what `write` throws, unless `failure` is what ends the program; then it is only printed.
    static func afterCalls(_ failure: Failure?, _ write: () throws(Failure) -> Void) throws(Failure) {
        do throws(Failure) {
            try write()
        } catch {
            guard failure != nil else { throw error }
            Output.error(error.line)
        }
    }

    /// Whether there is a device, a pipe or a socket, which is no file to be replaced.
    private static func isStream(_ path: String) -> Bool {
        var information = stat()
        // Follows links.
        return unsafe stat(path, &information) == 0 && information.st_mode & S_IFMT != S_IFREG
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
