internal import Foundation
internal import Synchronization

/// The folder for recordings and snapshots of scenarios: each has a folder of its own in it.
final class ArtifactFolder: Sendable {
    private let path: String
    private let isTemporary: Bool
    /// How many scenarios have a name.
    private let names = Mutex<[String: Int]>([:])

    /// - Parameter path: nil: a temporary one.
    init(_ path: String?) {
        self.path = path ?? NSTemporaryDirectory() + "callagent-\(UUID().uuidString)"
        isTemporary = path == nil
    }

    /// Makes the folder for what a scenario writes: with the name of its file and network, and a number if another one has that name, too.
    func make(for file: String, on network: NetworkArgument?) throws(Failure) -> String {
        let network = network.map { "-" + $0.text.replacing("%", with: "").replacing(/[^\w.=]/, with: "-") } ?? ""
        let name = URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent + network
        let count = names.withLock { names in
            names[name, default: 0] += 1
            return names[name] ?? 1
        }
        let folder = URL(fileURLWithPath: path).appendingPathComponent(count > 1 ? "\(name)-\(count)" : name)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw Failure(
                .prerequisite, "--artifacts: cannot make the folder '\(folder.path)': \(error.systemText)")
        }
        return folder.path
    }

    func removeIfTemporary() {
        guard isTemporary else { return }
        try? FileManager.default.removeItem(atPath: path)
    }
}
