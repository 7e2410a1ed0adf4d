import BuiltInPipelines
import Foundation

/// The built-in descriptions of VP8 and Opus with elements that fail: in each connection both halves of both tracks fail after 2 s, and so
/// does the connection.
public final class BrittlePipelines: Sendable {
    /// Removed with this object.
    public let folder = NSTemporaryDirectory() + "callagent-brittle-\(UUID().uuidString)"
    /// How many frames of video a connection encodes, and how many it decodes: 2 s of them.
    public let frames = 60

    /// Writes them into a new folder.
    public init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let packets = 100
        for (file, element, buffers) in [
            ("vp8-encoder.launch", "rtpvp8pay", frames), ("vp8-decoder.launch", "vp8dec", frames),
            ("opus-encoder.launch", "rtpopuspay", packets), ("opus-decoder.launch", "opusdec", packets),
        ] {
            guard let builtIn = BuiltInPipelines.files[file] else { throw CocoaError(.fileNoSuchFile) }
            let text = String(decoding: builtIn, as: UTF8.self)
                .replacing(element, with: "identity error-after=\(buffers) ! \(element)")
            try text.write(toFile: folder + "/" + file, atomically: true, encoding: .utf8)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}
