internal import ArgumentParser
internal import CallAgent
internal import MediaEngine

/// The codecs of a command's calls, their parameters, and the pipeline descriptions.
struct CodecOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The video codecs to use, best first. No others are used. Default: vp8,vp9,h264,h265.", valueName: "codec,…"
        ))
    var codec: String?

    @Option(
        help: ArgumentHelp(
            "The audio codecs to use, best first. No others are used. Default: opus,g722,pcmu,pcma.",
            valueName: "codec,…"))
    var audioCodec: String?

    @Option(
        help: ArgumentHelp(
            "An encoder's pipeline description, whose name ends with the codec (repeatable). va-h264, "
                + "vaapi-h264 and v4l2-h264 encode in hardware.", valueName: "name"))
    var encoder: [String] = []

    @Option(
        help: ArgumentHelp(
            "The payload type of a format in offers (repeatable), 96 to 127, such as 100=VP8/90000 or "
                + "'101=H264/90000;packetization-mode=1'.", valueName: "number=rtpmap[;fmtp]"))
    var payloadType: [PayloadTypeArgument] = []

    @Option(
        help: ArgumentHelp(
            "The Opus mode: full (full band), stack (24 kHz, 40 kbit/s, error correction) or economical. That is 16 kHz, 20 kbit/s, "
                + "error correction, nothing sent during silence, and 60 ms a packet.",
            valueName: "full|stack|economical"))
    var opus: OpusArgument = .full

    @Option(
        help: ArgumentHelp(
            "The highest video rate to send, in kbit/s; less on a narrow network. Default: 1000.", valueName: "kbit"))
    var videoRate: Int?

    /// What a rate may be, in kbit/s.
    static let rates = 6...2_000_000

    @Option(
        help: ArgumentHelp(
            "What stays longest on a narrow network: motion (smaller frames are sent), detail (fewer) or balanced "
                + "(smaller ones first).", valueName: "motion|detail|balanced"))
    var prefer: DegradationPreference = .balanced

    @Option(
        help: ArgumentHelp(
            "How often media is encoded that several calls send: once for all of them, or for each.",
            valueName: "once|each"))
    var encode: EncodeArgument = .once

    @Option(
        help: ArgumentHelp(
            "How much of the received video is decoded while nobody looks at it: all, sampled (the first second, and one in ten) or "
                + "first (the first frame). Default: all; for load sampled.", valueName: "all|sampled|first"))
    var decode: DecodingPolicy?

    @Option(
        help: ArgumentHelp(
            "The highest video rate that the peer may send, in kbit/s (b=AS, b=TIAS).", valueName: "kbit"))
    var maxVideoRate: Int?

    @Option(
        help: ArgumentHelp(
            "The highest audio rate that the peer may send, in kbit/s (b=AS, b=TIAS).", valueName: "kbit"))
    var maxAudioRate: Int?

    @Option(
        help: ArgumentHelp(
            "A folder with your own pipeline descriptions. They take precedence over the built-in ones.",
            valueName: "folder"
        ))
    var pipelines: String?

    func validate() throws {
        for rate in [videoRate, maxVideoRate, maxAudioRate].compactMap({ $0 }) where !Self.rates.contains(rate) {
            throw ValidationError("a rate is 6 to 2000000 kbit/s, not \(rate)")
        }
    }

    /// - Throws: ``MediaError`` that names the unknown or missing codec or encoder.
    func apply(to configuration: inout MediaConfiguration, engine: Engine) async throws(MediaError) {
        if let codec { configuration.videoCodecs = try CodecList.codecs(codec, kind: .video) }
        if let audioCodec { configuration.audioCodecs = try CodecList.codecs(audioCodec, kind: .audio) }
        configuration.encoders = encoder
        configuration.payloadTypes = payloadType.map(\.rule)
        configuration.opus = opus.parameters
        (configuration.maxReceiveVideoKbit, configuration.maxReceiveAudioKbit) = (maxVideoRate, maxAudioRate)
        configuration.degradationPreference = prefer
        configuration.sharesEncoders = encode == .once
        if let decode { configuration.decoding = decode }
        if let videoRate { configuration.videoBitrateKbit = videoRate }
        for name in encoder { try engine.check(encoder: name) }
        // Every requested codec has to be available; of the defaults only the best.
        for codec in self.codec == nil ? Array(configuration.videoCodecs.prefix(1)) : configuration.videoCodecs
        where configuration.video != nil { try await engine.check(codec) }
        for codec in audioCodec == nil ? Array(configuration.audioCodecs.prefix(1)) : configuration.audioCodecs
        where configuration.audio != nil { try await engine.check(codec) }
    }
}
