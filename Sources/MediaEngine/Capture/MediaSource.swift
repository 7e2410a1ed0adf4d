internal import Foundation

/// The source of the audio or video that this end sends.
public enum MediaSource: Sendable, Hashable {
    /// Video.
    case video(VideoSource)
    /// Audio.
    case audio(AudioSource)

    /// Audio or video.
    public var kind: MediaKind {
        switch self {
        case .video: .video
        case .audio: .audio
        }
    }

    /// The source as the command line writes it: `v4l2:/dev/video0`.
    public var text: String {
        guard let choice else { return name }
        return name == "rtsp" ? choice : "\(name):\(choice)"
    }
}

extension MediaSource {
    /// The name of its pipeline description.
    var name: String {
        switch self {
        case .video(let source): source.name
        case .audio(let source): source.name
        }
    }

    /// Its name in messages and logs: ``text`` without the user and password of a URL.
    public var label: String {
        guard name == "rtsp", let scheme = text.range(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard let at = authority.lastIndex(of: "@") else { return text }
        return text[..<scheme.upperBound] + "…" + rest[at...]
    }

    private var choice: String? {
        switch self {
        case .video(let source): source.choice
        case .audio(let source): source.choice
        }
    }

    /// The role of its pipeline description, unless the description gives both kinds.
    var role: PipelineDescription.Role {
        switch self {
        case .video: .videoSource
        case .audio: .audioSource
        }
    }

    /// The video's size and rate; the default for audio.
    var format: VideoFormat { if case .video(let source) = self { source.format } else { VideoFormat() } }

    /// Whether this machine generates it, without a device.
    var isSynthetic: Bool { ["test", "clock", "busy", "tone", "speech", "silence"].contains(name) }

    /// Whether it is the machine's default microphone.
    var isDefaultMicrophone: Bool { if case .audio(let source) = self { source.name == "mic" } else { false } }

    /// The source without a call's processing: one device serves all calls.
    var unprocessed: MediaSource {
        guard case .audio(var source) = self else { return self }
        source.processing = nil
        return .audio(source)
    }

    /// How a call processes it before it sends it; video is not processed.
    public var processing: AudioProcessing {
        if case .audio(let source) = self { source.effectiveProcessing } else { .off }
    }

    /// Whether an application pushes its media (``VideoInput``, ``AudioInput``), so that silence is no failure.
    public var isPushed: Bool { name == "frames" || name == "samples" }

    /// Whether the device can be open only once, in one format at a time.
    var isExclusive: Bool { name == "v4l2" || name == "alsa" }

    /// The source with this video size and rate.
    func with(_ format: VideoFormat) -> MediaSource {
        guard case .video(var source) = self else { return self }
        source.format = format
        return .video(source)
    }

    /// The source that is opened for it; requests that differ only in size, rate or orientation share it.
    ///
    /// A generated source is not shared: it is made as requested.
    var opened: MediaSource {
        guard case .video(var source) = self, !isSynthetic else { return self }
        (source.format, source.orientation) = (VideoFormat(), .upright)
        return .video(source)
    }

    /// The initial orientation of its video.
    var orientation: VideoOrientation { if case .video(let source) = self { source.orientation } else { .upright } }

    /// The file or device that must exist.
    var path: String? {
        switch name {
        case "file", "image": choice ?? ""
        case "v4l2": choice ?? "/dev/video0"
        default: nil
        }
    }

    /// The values of its description's placeholders.
    var values: [String: String] {
        var values = [
            "caps": format.caps, "audioCaps": "audio/x-raw,format=S16LE,rate=48000,channels=1,layout=interleaved",
        ]
        if case .audio = self { values["caps"] = values["audioCaps"] }
        values["choice"] = name == "rtsp" ? choice.map(SourceText.rtspLocation) : choice
        return values
    }
}

/// How the command line writes sources.
enum SourceText {
    /// Splits `NAME:CHOICE`, nil without a name; an RTSP URL becomes the choice of the name `rtsp`.
    static func parts(_ text: String) -> (name: String, choice: String?)? {
        if ["rtsp", "rtsps", "rtspt", "rtspu"].contains(where: { text.hasPrefix("\($0)://") }) {
            return ("rtsp", text)
        }
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        return parts.first.map { ($0, parts.count > 1 ? parts[1] : nil) }
    }

    /// The URL for `rtspsrc`: by TCP unless UDP was requested, since trying UDP first takes seconds behind a firewall.
    static func rtspLocation(_ url: String) -> String {
        url.hasPrefix("rtsp://") ? "rtspt://" + url.dropFirst("rtsp://".count) : url
    }
}
