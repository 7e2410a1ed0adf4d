import Foundation

/// A temporary folder that is removed with this object.
final class Folder: Sendable {
    private let root = NSTemporaryDirectory() + "callagent-test-\(UUID().uuidString)"

    init() { try? FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func path(_ name: String) -> String { root + "/" + name }

    /// Writes a file and returns its path.
    func write(_ data: Data, _ name: String, executable: Bool = false) throws -> String {
        try data.write(to: URL(fileURLWithPath: path(name)))
        if executable {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path(name))
        }
        return path(name)
    }

    func write(_ text: String, _ name: String, executable: Bool = false) throws -> String {
        try write(Data(text.utf8), name, executable: executable)
    }
}
