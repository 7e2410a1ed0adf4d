/// The codecs of an offer with their payload types, by m-line, best first.
struct OfferedChoices {
    let choices: [[PeerMedia.Choice]]

    /// Takes the installed codecs of each track; if none is installed, the first one, whose error then names what is missing.
    ///
    /// `warn` is called for payload type rules that match no format.
    init(
        _ configuration: PeerConnectionConfiguration, catalog: PipelineCatalog, warn: (String) -> Void
    ) throws(MediaError) {
        var codecs: [[Codec]] = []
        for (kind, track) in configuration.tracks.sorted(by: { $0.key < $1.key }) {
            guard let first = track.codecs.first else { throw .noCommonCodec(media: kind.rawValue) }
            var usable: [Codec] = []
            for codec in track.codecs where codec.kind == kind && !usable.contains(codec) {
                if catalog.hasElements(of: codec, encoders: track.encoders) { usable.append(codec) }
            }
            codecs.append(usable.isEmpty ? [first] : usable)
        }
        var formats = codecs.joined().map {
            OfferedFormat(payloadType: $0.payloadType, rtpmap: $0.rtpmap, fmtp: $0.profileParameters)
        }
        if configuration.tuning.retransmitsVideo {
            for codec in codecs.joined() {
                guard let payloadType = codec.retransmissionPayloadType else { continue }
                formats.append(.init(retransmissionOf: codec.payloadType, payloadType: payloadType, codec.clockRate))
            }
        }
        for rate in Set(codecs.joined().flatMap(Self.eventClockRates)).sorted() {
            formats.append(
                .init(
                    payloadType: DtmfSender.payloadType(clockRate: rate),
                    rtpmap: TelephoneEvent.rtpmap(clockRate: rate)))
        }
        for rule in try formats.apply(configuration.payloadTypes) {
            warn("no format of the offer is \(rule.rtpmap) \(rule.fmtp ?? ""); its payload type is not used")
        }
        var numbers: [String: Int] = [:]
        for format in formats { numbers[format.rtpmap] = format.payloadType }
        choices = codecs.map { codecs in
            codecs.map { codec in
                let payloadType = numbers[codec.rtpmap] ?? codec.payloadType
                return PeerMedia.Choice(
                    codec: codec, payloadType: payloadType,
                    telephoneEvents: Self.eventClockRates(codec).compactMap { rate in
                        numbers[TelephoneEvent.rtpmap(clockRate: rate)].map { .init(payloadType: $0, clockRate: rate) }
                    }, retransmission: formats.first { $0.isRetransmission(of: payloadType) }?.payloadType)
            }
        }
    }

    private static func eventClockRates(_ codec: Codec) -> [Int] {
        codec.kind == .audio && DtmfSender.isAvailable ? TelephoneEvent.clockRates(beside: codec.clockRate) : []
    }
}
