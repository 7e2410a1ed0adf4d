internal import ArgumentParser
internal import CallAgent
internal import MediaEngine

/// How a command's calls code what they send and receive.
struct CodecOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The video codecs to use, best first and no others. Default: vp8,vp9,h264,h265.", valueName: "codec,…"))
    var codec: String?

    @Option(
        help: ArgumentHelp(
            "The audio codecs to use, best first and no others. Default: opus,g722,pcmu,pcma.", valueName: "codec,…"))
    var audioCodec: String?

    @Option(
        help: ArgumentHelp(
            "The pipeline description that encodes the codec that its name ends with (repeatable), such as va-h264, "
                + "vaapi-h264 or v4l2-h264 for what the machine's hardware codes.", valueName: "name"))
    var encoder: [String] = []

    @Option(
        help: ArgumentHelp(
            "The payload type that offers give to a format (repeatable), 96 to 127, such as 100=VP8/90000 or "
                + "'101=H264/90000;packetization-mode=1'.", valueName: "number=rtpmap[;fmtp]"))
    var payloadType: [PayloadTypeArgument] = []

    @Option(
        help: ArgumentHelp(
            "What Opus is asked for: full (full band), stack (24 kHz, 40 kbit/s, error correction) or economical (16 kHz, "
                + "20 kbit/s, error correction, nothing sent during silence, 60 ms a packet).",
            valueName: "full|stack|economical"))
    var opus: OpusArgument = .full

    @Option(help: ArgumentHelp("The most video to be sent here, in kbit/s (b=AS, b=TIAS).", valueName: "kbit"))
    var maxVideoRate: Int?

    @Option(help: ArgumentHelp("The most audio to be sent here, in kbit/s (b=AS, b=TIAS).", valueName: "kbit"))
    var maxAudioRate: Int?

    func validate() throws {
        for rate in [maxVideoRate, maxAudioRate].compactMap({ $0 }) where !(6...2_000_000).contains(rate) {
            throw ValidationError("a rate is 6 to 2000000 kbit/s, not \(rate)")
        }
    }

    /// - Throws: ``MediaError`` that names what is unknown or missing.
    func apply(to configuration: inout MediaConfiguration, engine: MediaEngine) async throws(MediaError) {
        if let codec { configuration.videoCodecs = try CodecList.codecs(codec, kind: .video) }
        if let audioCodec { configuration.audioCodecs = try CodecList.codecs(audioCodec, kind: .audio) }
        configuration.encoders = encoder
        configuration.payloadTypes = payloadType.map(\.rule)
        configuration.opus = opus.parameters
        (configuration.maxReceiveVideoKbit, configuration.maxReceiveAudioKbit) = (maxVideoRate, maxAudioRate)
        for name in encoder { try engine.check(encoder: name) }
        // Of what was asked for everything has to be there, of the defaults the best.
        for codec in self.codec == nil ? Array(configuration.videoCodecs.prefix(1)) : configuration.videoCodecs
        where configuration.video != nil { try await engine.check(codec) }
        for codec in audioCodec == nil ? Array(configuration.audioCodecs.prefix(1)) : configuration.audioCodecs
        where configuration.audio != nil { try await engine.check(codec) }
    }
}
