import Foundation

/// A folder of pipeline descriptions or recordings that is removed with its last reference.
final class PipelineFolder: Sendable {
    let path: String

    init(_ files: [String: String] = [:]) throws {
        path = NSTemporaryDirectory() + "callagent-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, text) in files { try text.write(toFile: path + "/" + name, atomically: false, encoding: .utf8) }
    }

    /// Makes a folder with a microphone of this name that reads a file; its choice is the path.
    ///
    /// A missing file cannot be opened, and a pipe without a writer hangs.
    convenience init(microphoneFromFile name: String) throws {
        try self.init([
            "\(name)-audio-source.launch": """
            # value choice: source.location
            filesrc name=source ! capsfilter caps=audio/x-raw,format=S16LE,rate=48000,channels=1,layout=interleaved
            """
        ])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: URL(filePath: file(name))) }

    func bytes(of name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: file(name)))) }
}
