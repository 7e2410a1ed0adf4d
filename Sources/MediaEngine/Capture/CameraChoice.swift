/// The format to request from a camera.
struct CameraChoice: Sendable, Equatable {
    let encoding: CameraFormat.Encoding
    let pixels: String?
    let width: Int
    let height: Int
    /// In frames per second.
    let rate: Double

    /// Chooses the best of `formats` for `wanted`; nil when there is none.
    ///
    /// Prefers formats that are large and fast enough. Among those it prefers the same shape, which needs no bars, and then the lowest cost: raw
    /// pixels, unless USB has no room for them at this rate. If none is large and fast enough, it takes the one that lacks least: size counts before
    /// rate.
    init?(_ formats: [CameraFormat], for wanted: VideoFormat) {
        let choices = formats.flatMap { Self.choices($0, wanted) }
        let key = { (choice: CameraChoice) in choice.rank(for: wanted) }
        guard let best = choices.min(by: { key($0).lexicographicallyPrecedes(key($1)) }) else { return nil }
        self = best
    }

    init(encoding: CameraFormat.Encoding, pixels: String?, width: Int, height: Int, rate: Double) {
        self.encoding = encoding
        self.pixels = pixels
        self.width = width
        self.height = height
        self.rate = rate
    }

    private static func choices(_ format: CameraFormat, _ wanted: VideoFormat) -> [CameraChoice] {
        let width = format.widths.best(for: Double(wanted.width))
        let height = format.heights.best(for: Double(wanted.height))
        let rate = format.rates.best(for: Double(wanted.framesPerSecond))
        // A camera may report any value.
        guard let width = Int(exactly: width), let height = Int(exactly: height), width > 0, height > 0,
            rate > 0, rate.isFinite
        else { return [] }
        return [
            CameraChoice(encoding: format.encoding, pixels: format.pixels, width: width, height: height, rate: rate)
        ]
    }

    /// The sort key: lower is better.
    private func rank(for wanted: VideoFormat) -> [Double] {
        let pixelsMissing =
            Double(max(0, wanted.width - width)) / Double(wanted.width)
            + Double(max(0, wanted.height - height)) / Double(wanted.height)
        // Cameras report 29.97 for 30.
        let rateMissing = max(0, Double(wanted.framesPerSecond) * 0.95 - rate)
        // Prefer formats that the encoder takes without a conversion.
        let conversion: Double =
            switch pixels {
            case nil, "I420": 0
            case "NV12", "YUY2": 0.1
            default: 0.2
            }
        let cost = Double(width) * Double(height) * rate * (encoding.costPerPixel + conversion)
        return [pixelsMissing, rateMissing, barred(wanted), cost]
    }

    /// The share of the wanted frame that would be bars, in steps of 2 %: smaller bars are not visible, and 848x480 is meant for 16:9.
    private func barred(_ wanted: VideoFormat) -> Double {
        let (own, other) = (Double(width) * Double(wanted.height), Double(wanted.width) * Double(height))
        return ((1 - min(own, other) / max(own, other)) * 50).rounded()
    }

    /// The caps of the camera's output.
    var caps: String {
        var text = "\(encoding.rawValue),width=\(width),height=\(height)"
        if let pixels { text += ",format=\(pixels)" }
        // 29.97 is 30000/1001 in caps; other such rates have the same form.
        let isWhole = abs(rate - rate.rounded()) < 0.001
        let fraction =
            isWhole ? "\(Int(rate.rounded()))/1" : "\(Int((rate * 1.001).rounded()) * 1_000)/1001"
        return text + ",framerate=\(fraction)"
    }
}
