/// A present camera or microphone.
public struct MediaDevice: Sendable, Equatable {
    /// Camera or microphone.
    public let kind: MediaKind
    /// The manufacturer's name for it.
    public let name: String
    /// The text for ``VideoSource/init(parsing:format:)`` or ``AudioSource/init(parsing:)``: `v4l2:/dev/video0`.
    public let source: String
    /// Its formats, in its own order.
    public let formats: [DeviceFormat]

    /// Nil for a device that is no source of a known kind.
    init?(_ record: DeviceRecord) {
        let names = ["v4l2src": "v4l2", "alsasrc": "alsa", "pulsesrc": "pulse", "pipewiresrc": "pipewire"]
        guard let name = names[record.factory], let kind = Self.kind(record.deviceClass) else { return nil }
        // PipeWire's video comes from the same cameras as v4l2's.
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

/// A camera or microphone was added or removed.
public enum DeviceChange: Sendable, Equatable {
    /// The device was added.
    case added(MediaDevice)
    /// The device was removed.
    case removed(MediaDevice)
}
