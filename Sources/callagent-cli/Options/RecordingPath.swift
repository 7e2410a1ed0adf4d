internal import Foundation
internal import MediaEngine

/// Checks the path of a recording before a call is placed.
enum RecordingPath {
    /// - Throws: a ``Failure`` for a path that cannot be written or already exists: a recording replaces no file.
    static func checked(_ path: String?, sent: Bool = false) throws(Failure) -> String? {
        guard let path else {
            if sent { throw Failure(.usage, "--record-sent needs --record FILE") }
            return nil
        }
        do throws(MediaError) { _ = try RecordingFormat(path: path) } catch { throw Failure(error) }
        let files = FileManager.default
        let paths = [path] + (sent ? [OutputConfiguration.pathOfSent(beside: path)] : [])
        if let present = paths.first(where: { files.fileExists(atPath: $0) }) {
            throw Failure(.usage, "'\(present)' is there already; name another file to record to")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard files.fileExists(atPath: folder + "/."), files.isWritableFile(atPath: folder)
        else {
            throw Failure(.usage, "cannot record to '\(path)': there is no folder '\(folder)' that can be written to")
        }
        return path
    }

    /// The `codecs` that the file can hold; all of them are of one kind.
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` if it can hold none.
    static func codecs(_ codecs: [Codec], for path: String?) throws(MediaError) -> [Codec] {
        guard let path else { return codecs }
        let format = try RecordingFormat(path: path)
        let held = codecs.filter(format.holds)
        if held.isEmpty, let first = codecs.first {
            throw .unknownChoice(
                kind: "\(first.kind) codec that \(format.name) can hold", value: first.rawValue,
                known: Codec.preferred(first.kind).filter(format.holds).map(\.rawValue))
        }
        return held
    }
}
