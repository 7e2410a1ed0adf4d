/// One thing that a camera can give: an encoding with the sizes and rates that it has.
struct CameraFormat: Sendable, Equatable {
    /// How the pictures are coded on their way from the camera.
    enum Encoding: String, Sendable, CaseIterable {
        case raw = "video/x-raw"
        case mjpeg = "image/jpeg"
        case h264 = "video/x-h264"

        /// What decoding costs for a pixel, against handing a raw one on.
        var costPerPixel: Double {
            switch self {
            case .raw: 1
            case .h264: 3
            case .mjpeg: 4
            }
        }

        /// The pipeline description that takes it.
        var descriptionName: String {
            switch self {
            case .raw: "v4l2"
            case .mjpeg: "v4l2-mjpeg"
            case .h264: "v4l2-h264"
            }
        }
    }

    let encoding: Encoding
    /// The arrangement of raw pixels; nil for coded pictures, and where there are several.
    let pixels: String?
    let widths: NumberChoice
    let heights: NumberChoice
    /// In frames per second.
    let rates: NumberChoice

    /// Reads one structure of caps; nil for what cannot be taken.
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
