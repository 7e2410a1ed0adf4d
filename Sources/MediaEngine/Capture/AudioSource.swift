/// Where the sound that is sent comes from.
public struct AudioSource: Sendable, Hashable {
    /// The name of a pipeline description with the role `audio-source`.
    public var name: String
    /// What the description's placeholder `choice` is set to; nil leaves its default.
    public var choice: String?

    /// Names a source by its pipeline description.
    public init(name: String, choice: String? = nil) {
        self.name = name
        self.choice = choice
    }

    /// Reads a source as the command line writes it: `tone`, `tone:440`, or the name of a pipeline description.
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` when it is empty or the pitch is no number of 20 to 20000.
    public init(parsing text: String) throws(MediaError) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard let name = parts.first else {
            throw .unknownChoice(kind: "audio source", value: text, known: ["tone", "none"])
        }
        self.init(name: name, choice: parts.count > 1 ? parts[1] : nil)
        if name == "tone", let choice, Double(choice).map({ (20...20_000).contains($0) }) != true {
            throw .unknownChoice(kind: "pitch in Hz", value: choice, known: ["20 to 20000"])
        }
    }

    /// A sine tone, mono, 48 kHz.
    public static func tone(hertz: Double = 440) -> AudioSource { AudioSource(name: "tone", choice: String(hertz)) }

    /// The pitch in Hz when it is a tone.
    public var toneHz: Double? { name == "tone" ? choice.flatMap(Double.init) ?? 440 : nil }

    var values: [String: String] {
        var values = ["caps": "audio/x-raw,format=S16LE,rate=48000,channels=1,layout=interleaved"]
        values["choice"] = choice
        return values
    }
}
