internal import Foundation

/// Where what is sent of one kind comes from.
public enum MediaSource: Sendable, Hashable {
    /// Pictures.
    case video(VideoSource)
    /// Sound.
    case audio(AudioSource)

    /// Which of the two.
    public var kind: MediaKind {
        switch self {
        case .video: .video
        case .audio: .audio
        }
    }

    /// As the command line writes it: `v4l2:/dev/video0`.
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

    /// What messages and logs call it: ``text`` without the user and password of a URL.
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

    /// The role of its pipeline description, unless that gives both kinds.
    var role: PipelineDescription.Role {
        switch self {
        case .video: .videoSource
        case .audio: .audioSource
        }
    }

    /// The pictures' size and rate; of sound, the default.
    var format: VideoFormat { if case .video(let source) = self { source.format } else { VideoFormat() } }

    /// Whether it is made by the machine itself and needs no device.
    var isSynthetic: Bool { ["test", "clock", "tone", "speech", "silence"].contains(name) }

    /// Whether it is the microphone that the machine prefers.
    var isDefaultMicrophone: Bool { if case .audio(let source) = self { source.name == "mic" } else { false } }

    /// The same without what a call does to it: one device serves all of them.
    var unprocessed: MediaSource {
        guard case .audio(var source) = self else { return self }
        source.processing = nil
        return .audio(source)
    }

    /// What a call does to it before it is sent; nothing to pictures.
    public var processing: AudioProcessing {
        if case .audio(let source) = self { source.effectiveProcessing } else { .off }
    }

    /// Whether saying nothing is no fault: the application decides when it pushes.
    var mayBeSilent: Bool { name == "frames" || name == "samples" }

    /// Whether it can be open once only, in one format at a time.
    var isExclusive: Bool { name == "v4l2" || name == "alsa" }

    /// The same with pictures of this size and rate.
    func with(_ format: VideoFormat) -> MediaSource {
        guard case .video(var source) = self else { return self }
        source.format = format
        return .video(source)
    }

    /// What is opened for it, which all who ask for another size, rate or orientation of the same share.
    ///
    /// What the machine makes itself is made as it is asked for.
    var opened: MediaSource {
        guard case .video(var source) = self, !isSynthetic else { return self }
        (source.format, source.orientation) = (VideoFormat(), .upright)
        return .video(source)
    }

    /// How its pictures are turned at first.
    var orientation: VideoOrientation { if case .video(let source) = self { source.orientation } else { .upright } }

    /// The file or device that has to be there.
    var path: String? {
        switch name {
        case "file": choice ?? ""
        case "v4l2": choice ?? "/dev/video0"
        default: nil
        }
    }

    /// What its description's placeholders are set to.
    var values: [String: String] {
        var values = [
            "caps": format.caps, "audioCaps": "audio/x-raw,format=S16LE,rate=48000,channels=1,layout=interleaved",
        ]
        if case .audio = self { values["caps"] = values["audioCaps"] }
        values["choice"] = name == "rtsp" ? choice.map(SourceText.rtspLocation) : choice
        return values
    }
}
