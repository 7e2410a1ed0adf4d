/// What a snapshot is written as.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    /// Without loss.
    case png
    /// With the loss of `jpegenc`'s default quality, 85.
    case jpeg

    /// By the extension of a file: `.png`, `.jpg` or `.jpeg`.
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for another one.
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

    /// The element that makes it.
    var encoder: String { self == .png ? "pngenc" : "jpegenc" }
}
