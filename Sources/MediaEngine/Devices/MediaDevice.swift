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
