/// A camera or a microphone that is there.
public struct MediaDevice: Sendable, Equatable {
    /// Camera or microphone.
    public let kind: MediaKind
    /// What the maker calls it.
    public let name: String
    /// What ``VideoSource/init(parsing:format:)`` or ``AudioSource/init(parsing:)`` take for it: `v4l2:/dev/video0`.
    public let source: String
    /// What it can give, in its own order.
    public let formats: [DeviceFormat]

    /// Nil for what is no source of a kind that the engine knows.
    init?(_ record: DeviceRecord) {
        let names = ["v4l2src": "v4l2", "alsasrc": "alsa", "pulsesrc": "pulse", "pipewiresrc": "pipewire"]
        guard let name = names[record.factory], let kind = Self.kind(record.deviceClass) else { return nil }
        // Pictures of PipeWire come from the same cameras that v4l2 names.
        if kind == .video, name != "v4l2" { return nil }
        self.kind = kind
        self.name = record.name
        source = record.address.map { "\(name):\($0)" } ?? name
        formats = record.caps.compactMap(DeviceFormat.init)
    }

    private static func kind(_ deviceClass: String) -> MediaKind? {
        let words = deviceClass.split(separator: "/")
        guard words.contains("Source") else { return nil }
        return words.contains("Video") ? .video : words.contains("Audio") ? .audio : nil
    }
}

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
