internal import Foundation

/// A folder with pipeline descriptions of a user's own.
enum PipelineFolder {
    /// The longest description that is read, in bytes.
    private static let longest = 65_536

    /// Reads every description once, so that one that cannot be read is named.
    ///
    /// - Throws: a ``Failure`` of wrong usage.
    static func checked(_ path: String?) throws(Failure) -> String? {
        guard let path else { return nil }
        // A folder that is not there is told by who reads it.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names.sorted() where name.hasSuffix(".launch") {
            _ = try TextFile.read(URL(fileURLWithPath: path).appendingPathComponent(name).path, longest: longest)
        }
        return path
    }
}
