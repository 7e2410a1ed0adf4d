internal import Foundation

/// A folder with a user's own pipeline descriptions.
enum PipelineFolder {
    /// The size limit of a description, in bytes.
    private static let longest = 65_536

    /// Reads every description once and reports an unreadable one.
    ///
    /// - Throws: a ``Failure`` of wrong usage.
    static func checked(_ path: String?) throws(Failure) -> String? {
        guard let path else { return nil }
        // The reader of the folder reports a missing folder.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names.sorted() where name.hasSuffix(".launch") {
            _ = try TextFile.read(URL(fileURLWithPath: path).appendingPathComponent(name).path, longest: longest)
        }
        return path
    }
}
