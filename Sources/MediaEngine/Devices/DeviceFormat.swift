/// One thing that a device can give; of numbers with a choice, all of them: `15,30`, or `1-192000` for a range.
public struct DeviceFormat: Sendable, Equatable {
    /// How the data is coded, as GStreamer names it: `video/x-raw`, `image/jpeg`, `video/x-h264`, `audio/x-raw`.
    public let encoding: String
    /// The arrangement of raw pixels or samples: `YUY2`, `S16LE`; nil when it is coded.
    public let layout: String?
    /// In pixels; nil for sound.
    public let width: String?
    /// In pixels; nil for sound.
    public let height: String?
    /// Frames per second; nil for sound.
    public let framesPerSecond: String?
    /// Samples per second; nil for pictures.
    public let sampleRate: String?
    /// Nil for pictures.
    public let channels: String?

    init?(_ structure: PropertyValue) {
        guard case .structure(let name, let fields) = structure else { return nil }
        encoding = name
        layout = fields["format"]?.texts
        width = NumberChoice(fields["width"])?.text
        height = NumberChoice(fields["height"])?.text
        framesPerSecond = NumberChoice(fields["framerate"])?.text
        sampleRate = NumberChoice(fields["rate"])?.text
        channels = NumberChoice(fields["channels"])?.text
    }
}

extension PropertyValue {
    /// One word or several.
    fileprivate var texts: String? {
        if case .list(let values) = self { return values.compactMap(\.stringValue).joined(separator: ",") }
        return stringValue
    }
}
