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
