internal import Foundation

/// A file for one test that is removed with the last reference.
package final class TemporaryFile: Sendable {
    package let path: String

    package init(_ text: String) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "test-\(UUID().uuidString)").path
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A folder for one test that is removed with the last reference.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init(_ name: String) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "test-\(name)-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file; returns its path.
    func write(_ text: String, to name: String) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: file))
        return file
    }
}
