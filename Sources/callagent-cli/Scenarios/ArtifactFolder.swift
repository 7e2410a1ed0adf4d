internal import Foundation

/// The folder for recordings and snapshots of scenarios: each has a folder of its own in it.
final class ArtifactFolder: Sendable {
    private let path: String
    private let isTemporary: Bool

    /// - Parameter path: nil: a temporary one.
    init(_ path: String?) throws(Failure) {
        self.path = path ?? NSTemporaryDirectory() + "callagent-\(UUID().uuidString)"
        isTemporary = path == nil
    }

    /// The folder for what a scenario writes, which is made.
    func make(for file: String) throws(Failure) -> String {
        let name = URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
        let folder = URL(fileURLWithPath: path).appendingPathComponent(name)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw Failure(.prerequisite, "cannot make the folder '\(folder.path)': \(error.localizedDescription)")
        }
        return folder.path
    }

    func removeIfTemporary() {
        guard isTemporary else { return }
        try? FileManager.default.removeItem(atPath: path)
    }
}
