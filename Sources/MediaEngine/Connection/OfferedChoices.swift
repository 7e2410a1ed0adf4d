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
        let tracks = configuration.tracks.sorted { $0.key < $1.key }
        for (id, track) in tracks {
            guard let first = track.codecs.first else { throw .noCommonCodec(media: id.kind.rawValue) }
            var usable: [Codec] = []
            for codec in track.codecs where codec.kind == id.kind && !usable.contains(codec) {
                if catalog.hasElements(of: codec, encoders: track.encoders) { usable.append(codec) }
            }
            codecs.append(usable.isEmpty ? [first] : usable)
        }
        // Several videos have the same payload types.
        var all: [Codec] = []
        for codec in codecs.joined() where !all.contains(codec) { all.append(codec) }
        var formats = all.map {
            OfferedFormat(
                payloadType: $0.payloadType, rtpmap: $0.rtpmap, fmtp: $0.formatParameters(configuration.opus))
        }
        if configuration.tuning.retransmitsVideo {
            for codec in all {
                guard let payloadType = codec.retransmissionPayloadType else { continue }
                formats.append(.init(retransmissionOf: codec.payloadType, payloadType: payloadType, codec.clockRate))
            }
        }
        for rate in Set(all.flatMap(Self.eventClockRates)).sorted() {
            formats.append(
                .init(
                    payloadType: DtmfSender.payloadType(clockRate: rate),
                    rtpmap: TelephoneEvent.rtpmap(clockRate: rate), fmtp: TelephoneEvent.parameters))
        }
        for rule in try formats.apply(configuration.payloadTypes) {
            warn("no format of the offer is \(rule.rtpmap) \(rule.fmtp ?? ""); its payload type is not used")
        }
        var numbers: [String: Int] = [:]
        for format in formats { numbers[format.rtpmap] = format.payloadType }
        let followsBandwidth = configuration.tuning.followsBandwidth
        choices = zip(tracks, codecs).map { track, codecs in
            codecs.map { codec in
                let hasEstimates = codec.kind == .video && followsBandwidth
                let payloadType = numbers[codec.rtpmap] ?? codec.payloadType
                return PeerMedia.Choice(
                    track: track.key, codec: codec, payloadType: payloadType,
                    telephoneEvents: Self.eventClockRates(codec).compactMap { rate in
                        numbers[TelephoneEvent.rtpmap(clockRate: rate)].map { .init(payloadType: $0, clockRate: rate) }
                    }, retransmission: formats.first { $0.isRetransmission(of: payloadType) }?.payloadType,
                    hasEstimates: hasEstimates, sendTimeId: hasEstimates ? AbsoluteSendTime.offeredId : nil)
            }
        }
    }

    private static func eventClockRates(_ codec: Codec) -> [Int] {
        codec.kind == .audio && DtmfSender.isAvailable ? TelephoneEvent.clockRates(beside: codec.clockRate) : []
    }
}

/// A rule that gives a payload type to a format in this end's offers.
///
/// The format that had this number gets the other's number instead, and `apt` of retransmissions follows. An answer always uses the
/// offer's numbers.
public struct PayloadTypeRule: Sendable, Equatable {
    /// The format as in `a=rtpmap`, such as `VP8/90000`; case does not matter, and `/1` for one channel may be omitted.
    public var rtpmap: String
    /// Parameters that `a=fmtp` must contain as well, such as `packetization-mode=1`; nil matches any.
    public var fmtp: String?
    /// 96 to 127, the dynamic ones (RFC 3551 section 6).
    public var payloadType: Int

    /// The valid range of ``payloadType``.
    public static let payloadTypes = 96...127

    /// The formats that offers may have.
    private static let formats =
        Codec.allCases.map(\.rtpmap) + [8_000, 48_000].map { TelephoneEvent.rtpmap(clockRate: $0) } + ["rtx/90000"]

    /// Whether it is about the format with this `a=rtpmap`.
    func matches(rtpmap other: String) -> Bool {
        [other, other + "/1"].contains { $0.lowercased() == rtpmap.lowercased() }
    }

    /// Makes a rule; it is checked when the offer is made.
    public init(rtpmap: String, fmtp: String? = nil, payloadType: Int) {
        self.rtpmap = rtpmap
        self.fmtp = fmtp
        self.payloadType = payloadType
    }

    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for a payload type out of range, and for a format that no offer has.
    public func check() throws(MediaError) {
        guard Self.formats.contains(where: { matches(rtpmap: $0) }) else {
            throw .unknownChoice(kind: "format", value: rtpmap, known: Self.formats)
        }
        guard Self.payloadTypes.contains(payloadType) else {
            throw .unknownChoice(kind: "payload type for \(rtpmap)", value: "\(payloadType)", known: ["96 to 127"])
        }
    }
}
