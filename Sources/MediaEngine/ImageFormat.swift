/// The file format of a snapshot.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    /// Lossless.
    case png
    /// Lossy, at `jpegenc`'s default quality, 85.
    case jpeg

    /// Chooses by the file extension: `.png`, `.jpg` or `.jpeg`.
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for any other extension.
    public init(path: String) throws(MediaError) {
        let name = (path.split(separator: "/").last ?? "").lowercased()
        if name.hasSuffix(".png") {
            self = .png
        } else if name.hasSuffix(".jpg") || name.hasSuffix(".jpeg") {
            self = .jpeg
        } else {
            throw .unknownChoice(kind: "file for a snapshot", value: path, known: ["NAME.png", "NAME.jpg"])
        }
    }

    /// The media type (RFC 2046).
    public var mediaType: String { "image/\(rawValue)" }

    /// The element that encodes it.
    var encoder: String { self == .png ? "pngenc" : "jpegenc" }
}
