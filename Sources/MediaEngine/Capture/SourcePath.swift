internal import Foundation

/// Files and devices that sources name.
enum SourcePath {
    /// - Throws: ``MediaError/sourceFailed(source:fault:text:)`` when it is not there or may not be read.
    static func check(_ path: String, of label: String) throws(MediaError) {
        guard FileManager.default.fileExists(atPath: path) else {
            throw .sourceFailed(source: label, fault: .notFound, text: "there is no '\(path)'")
        }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw .sourceFailed(source: label, fault: .denied, text: "'\(path)' may not be read by this user")
        }
    }
}
