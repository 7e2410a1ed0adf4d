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

/// The numbers that a field of caps may have.
enum NumberChoice: Sendable, Equatable {
    case oneOf([Double])
    case range(Double, Double)

    init?(_ value: PropertyValue?) {
        switch value {
        case .list(let values):
            let numbers = values.compactMap(\.ratioValue)
            guard !numbers.isEmpty else { return nil }
            self = .oneOf(numbers)
        case .range(let from, let to):
            guard let from = from.ratioValue, let to = to.ratioValue else { return nil }
            self = .range(from, to)
        case .some(let value):
            guard let number = value.ratioValue else { return nil }
            self = .oneOf([number])
        case nil: return nil
        }
    }

    /// The smallest that is at least `wanted`, or the largest of all.
    func best(for wanted: Double) -> Double {
        switch self {
        case .oneOf(let numbers): numbers.filter { $0 >= wanted }.min() ?? numbers.max() ?? wanted
        case .range(let from, let to): Swift.min(Swift.max(wanted, from), to)
        }
    }

    var text: String {
        switch self {
        case .oneOf(let numbers): numbers.map(Self.text).joined(separator: ",")
        case .range(let from, let to): "\(Self.text(from))-\(Self.text(to))"
        }
    }

    private static func text(_ number: Double) -> String {
        guard let whole = Int(exactly: number) else { return String((number * 100).rounded() / 100) }
        return String(whole)
    }
}
