/// The source of the audio that this end sends.
public struct AudioSource: Sendable, Hashable {
    /// The name of a pipeline description with the role `audio-source` or `av-source`.
    public var name: String
    /// The value of the description's placeholder `choice`: a pitch, a device, a file, a URL; nil leaves its default.
    public var choice: String?
    /// How a call processes the audio before it sends it; nil means ``AudioProcessing/voice`` for microphones and no processing for everything else.
    public var processing: AudioProcessing?
    /// What the application pushes into; nil for all other sources.
    var input: AudioInput?

    /// Names a source by its pipeline description.
    public init(name: String, choice: String? = nil) {
        self.name = name
        self.choice = choice
    }

    /// Reads a source as the command line writes it.
    ///
    /// | text | audio |
    /// |---|---|
    /// | `tone`, `tone:HERTZ` | a sine tone |
    /// | `clock`, `clock:HERTZ` | the same with a tick at each full second, which ``AudioQuality`` is measured by |
    /// | `speech` | syllables that are all alike, 4.5 a second, which ``SpeechQuality`` is measured by |
    /// | `silence` | digital silence |
    /// | `mic` | the default microphone: of PipeWire, PulseAudio or ALSA, the first that works |
    /// | `pipewire`, `pulse`, `alsa`, each with `:DEVICE` | one microphone, such as `alsa:hw:1` |
    /// | `file:clip.mkv` | a file, played in a loop; in sync with the video if that comes from the same file |
    /// | `rtsp://…`, `rtspu://…` | a network camera, in one session with its video |
    /// | `NAME`, `NAME:CHOICE` | the pipeline description of that name |
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` when the text is empty or the pitch is not a number from 20 to 20000, or from 100 to 1500 for `clock`.
    public init(parsing text: String) throws(MediaError) {
        guard let (name, choice) = SourceText.parts(text) else {
            throw .unknownChoice(kind: "audio source", value: text, known: ["tone", "none"])
        }
        self.init(name: name, choice: choice)
        let pitches: ClosedRange<Double>? = name == "tone" ? 20...20_000 : name == "clock" ? Self.clockPitches : nil
        if let pitches, let choice, Double(choice).map(pitches.contains) != true {
            let range = "\(Int(pitches.lowerBound)) to \(Int(pitches.upperBound))"
            throw .unknownChoice(kind: "pitch in Hz", value: choice, known: [range])
        }
    }

    /// A sine tone, mono, 48 kHz.
    public static func tone(hertz: Double = 440) -> AudioSource { AudioSource(name: "tone", choice: String(hertz)) }

    /// The pitches in Hz that ``clock(hertz:)`` can have: the ticks are heard above them.
    public static let clockPitches = 100.0...1_500.0

    /// A sine tone of one of ``clockPitches`` with a tick at each full second (UTC), mono, 48 kHz: ``AudioQuality`` is measured by it.
    public static func clock(hertz: Double = 440) -> AudioSource { AudioSource(name: "clock", choice: String(hertz)) }

    /// Syllables that are all alike, with the rhythm of speech, mono, 48 kHz: ``SpeechQuality`` is measured by them.
    ///
    /// Each is 129 ms of the odd harmonics of 140 Hz, up to 3.4 kHz.
    public static let speech = AudioSource(name: "speech")

    /// Digital silence, mono, 48 kHz.
    public static let silence = AudioSource(name: "silence")

    /// The default microphone.
    public static let microphone = AudioSource(name: "mic")

    /// ``processing``, or its default for this source.
    public var effectiveProcessing: AudioProcessing {
        processing ?? (["mic", "pipewire", "pulse", "alsa"].contains(name) ? .voice : .off)
    }

    /// The pitch in Hz when it is a tone.
    public var toneHz: Double? { ["tone", "clock"].contains(name) ? choice.flatMap(Double.init) ?? 440 : nil }
}

/// How audio is processed before it is sent (`webrtcdsp`).
public enum AudioProcessing: String, Sendable, Hashable, CaseIterable {
    /// No processing.
    case off
    /// For speech: removes the echo of what is played here, reduces noise, levels the volume, and cuts everything below some 80 Hz.
    case voice
    /// For music: removes the echo of what is played here, and nothing else, since noise suppression mistakes tones for noise.
    case music
}
