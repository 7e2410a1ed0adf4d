internal import Foundation

/// Files and devices that sources name.
enum SourcePath {
    /// - Throws: ``MediaError/sourceFailed(source:fault:text:)`` when the path does not exist or is not readable.
    static func check(_ path: String, of label: String) throws(MediaError) {
        let kind = label.hasPrefix("file:") ? "file" : "device"
        guard FileManager.default.fileExists(atPath: path) else {
            throw .sourceFailed(source: label, fault: .notFound, text: "there is no \(kind) '\(path)'")
        }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw .sourceFailed(source: label, fault: .denied, text: "'\(path)' may not be read by this user")
        }
    }
}
