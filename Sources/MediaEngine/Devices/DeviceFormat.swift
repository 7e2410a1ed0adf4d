/// A format that a device offers.
///
/// A field with a choice of numbers lists all of them: `15,30`, or `1-192000` for a range.
public struct DeviceFormat: Sendable, Equatable {
    /// The encoding of the data, as GStreamer names it: `video/x-raw`, `image/jpeg`, `video/x-h264`, `audio/x-raw`.
    public let encoding: String
    /// The format of raw pixels or samples: `YUY2`, `S16LE`; nil when the data is encoded.
    public let layout: String?
    /// In pixels; nil for audio.
    public let width: String?
    /// In pixels; nil for audio.
    public let height: String?
    /// Frames per second; nil for audio.
    public let framesPerSecond: String?
    /// Samples per second; nil for video.
    public let sampleRate: String?
    /// The number of audio channels; nil for video.
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
    /// One value or several.
    fileprivate var texts: String? {
        if case .list(let values) = self { return values.compactMap(\.stringValue).joined(separator: ",") }
        return stringValue
    }
}
