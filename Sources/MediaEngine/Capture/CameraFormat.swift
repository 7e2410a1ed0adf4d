/// A format that a camera offers: an encoding with its sizes and rates.
struct CameraFormat: Sendable, Equatable {
    /// How the camera encodes its frames.
    enum Encoding: String, Sendable, CaseIterable {
        case raw = "video/x-raw"
        case mjpeg = "image/jpeg"
        case h264 = "video/x-h264"

        /// The cost of decoding a pixel, relative to passing on a raw one.
        var costPerPixel: Double {
            switch self {
            case .raw: 1
            case .h264: 3
            case .mjpeg: 4
            }
        }

        /// The pipeline description for this encoding.
        var descriptionName: String {
            switch self {
            case .raw: "v4l2"
            case .mjpeg: "v4l2-mjpeg"
            case .h264: "v4l2-h264"
            }
        }
    }

    let encoding: Encoding
    /// The format of raw pixels; nil for encoded frames, and where there are several.
    let pixels: String?
    let widths: NumberChoice
    let heights: NumberChoice
    /// In frames per second.
    let rates: NumberChoice

    /// Reads one structure of caps; nil if the engine cannot use it.
    init?(_ structure: PropertyValue) {
        guard case .structure(let name, let fields) = structure, let encoding = Encoding(rawValue: name),
            let widths = NumberChoice(fields["width"]), let heights = NumberChoice(fields["height"])
        else { return nil }
        self.encoding = encoding
        pixels = encoding == .raw ? fields["format"]?.stringValue : nil
        self.widths = widths
        self.heights = heights
        rates = NumberChoice(fields["framerate"]) ?? .range(0, .infinity)
    }
}
