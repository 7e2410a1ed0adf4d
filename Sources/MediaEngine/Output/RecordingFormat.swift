/// The file format of a recording, selected by the extension of its file.
///
/// A file can be played up to its last second even if the program was killed: Matroska and WebM are written packet by packet, MP4 in
/// fragments of half a second.
public enum RecordingFormat: String, Sendable, Hashable, CaseIterable {
    /// `.mkv`: every codec but G722.
    case matroska = "mkv"
    /// `.webm`: VP8, VP9 and Opus.
    case webm
    /// `.mp4`: H264 and Opus; VP9 makes `mp4mux` 1.22 crash, which reads a colorimetry that the stream does not name.
    case mp4

    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for a file with another extension.
    public init(path: String) throws(MediaError) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."),
            let format = RecordingFormat(rawValue: name[name.index(after: dot)...].lowercased())
        else {
            throw .unknownChoice(
                kind: "file to record to", value: path, known: Self.allCases.map { "NAME.\($0.rawValue)" })
        }
        self = format
    }

    /// Whether a file of this format can hold this codec.
    public func holds(_ codec: Codec) -> Bool {
        switch self {
        case .matroska: codec != .g722
        case .webm: [.vp8, .vp9, .opus].contains(codec)
        case .mp4: [.h264, .opus].contains(codec)
        }
    }

    /// The name for messages.
    public var name: String {
        switch self {
        case .matroska: "Matroska"
        case .webm: "WebM"
        case .mp4: "MP4"
        }
    }

    /// The name of its pipeline description.
    var descriptionName: String { self == .matroska ? "matroska" : rawValue }

    /// Whether each track must start at 0: in fragments, `mp4mux` 1.22 loses how much later one track starts than another.
    var beginsAtZero: Bool { self == .mp4 }
}

extension Codec {
    /// The element that adds what a file needs to know about the stream; nil when the stream has it.
    var parser: String? {
        switch self {
        case .h264: "h264parse"
        case .h265: "h265parse"
        default: nil
        }
    }
}
