/// The peer's description, parsed, checked and normalised before `webrtcbin` sees it.
///
/// `webrtcbin` 1.22 aborts the process or hangs on several malformed or unusual descriptions. So it only gets parts that were parsed here:
/// ``normalised`` is written anew from the checked parts.
struct RemoteDescription: Sendable, Equatable {
    let kind: SessionDescription.Kind
    /// The id, version and so on of `o=`.
    let origin: String
    /// The used m-lines, in order.
    var sections: [MediaSection]
    /// The m-line of data channels, if this end accepts them.
    private(set) var data: DataSection?
    /// The unused m-lines.
    ///
    /// These are unwanted data channels and kinds, cameras and microphones beyond the tracks of this end, and m-lines with port 0.
    private(set) var refused: [RefusedSection]

    /// The maximum length of a description, in bytes.
    static let maximumBytes = 32_768
    /// The maximum number of m-lines, used or not.
    static let maximumSections = 16

    /// Reads a description; this end uses `tracks`, and data channels if it accepts them.
    ///
    /// - Throws: ``MediaError/invalidSDP(line:text:)`` with the faulty line.
    init(
        _ description: SessionDescription, tracks: Set<TrackID> = [.audio, .video], acceptsData: Bool = false
    ) throws(MediaError) {
        guard description.sdp.utf8.count <= Self.maximumBytes else {
            throw .invalidSDP(line: nil, text: "longer than \(Self.maximumBytes) bytes")
        }
        var reader = try SDPReader(SDPLine.lines(of: description.sdp))
        kind = description.kind
        origin = reader.origin
        (sections, data, refused) = try reader.sections(
            of: tracks, acceptsData: acceptsData, isAnswer: kind == .answer)
        if kind == .offer { refuseUnusableVideos { reader.isBundled($0) } }
        try checkSections(of: tracks)
        try reader.checkBundle(mids: mids, refused: refused.compactMap(\.mid))
        for setup in sections.map(\.setup) where kind == .offer ? setup != "actpass" : setup == "actpass" {
            throw .invalidSDP(line: nil, text: "a=setup:\(setup) does not suit an \(kind)")
        }
    }

    private func checkSections(of tracks: Set<TrackID>) throws(MediaError) {
        guard !sections.isEmpty else {
            let names = Set(tracks.map(\.kind.rawValue)).sorted().joined(separator: " or ")
            throw .invalidSDP(line: nil, text: "no m-line of \(names) is in use")
        }
        let mids = mids + refused.compactMap(\.mid)
        guard Set(mids).count == mids.count else { throw .invalidSDP(line: nil, text: "two m-lines have the same mid") }
        // webrtcbin has one DTLS transport under max-bundle and takes the fingerprint of any section.
        let first = sections[0]
        guard sections.allSatisfy({ $0.fingerprint == first.fingerprint }),
            data.map({ $0.fingerprint == first.fingerprint }) ?? true
        else {
            throw .invalidSDP(line: nil, text: "the m-lines have different fingerprints")
        }
        let credentials = (first.iceUfrag, first.icePassword, first.setup)
        guard sections.allSatisfy({ ($0.iceUfrag, $0.icePassword, $0.setup) == credentials }),
            data.map({ ($0.iceUfrag, $0.icePassword, $0.setup) == credentials }) ?? true
        else {
            throw .invalidSDP(line: nil, text: "the m-lines of one bundle have different ICE credentials or a=setup")
        }
        try checkPayloadTypes()
    }

    /// A further video that cannot be used ends no call.
    private mutating func refuseUnusableVideos(isBundled: (String) -> Bool) {
        guard let first = sections.first else { return }
        for section in sections where section.track.number > 1 {
            let sharesTransport =
                section.fingerprint == first.fingerprint && section.iceUfrag == first.iceUfrag
                && section.icePassword == first.icePassword && section.setup == first.setup
            let others = sections.filter { $0.track != section.track }.flatMap(\.formats)
            let types = section.formats.map(\.payloadType)
            let isClear =
                Set(types).count == types.count
                && section.formats.allSatisfy { format in
                    others.allSatisfy { $0.payloadType != format.payloadType || $0.encoding == format.encoding }
                }
            if !sharesTransport || !isClear || section.direction == .inactive || !isBundled(section.mid) {
                refuse(section.track)
            }
        }
    }

    /// Refuses the m-line of a track.
    mutating func refuse(_ track: TrackID) {
        guard let place = sections.firstIndex(where: { $0.track == track }) else { return }
        let index = usedMLines[place]
        let section = sections.remove(at: place)
        refused.append(
            RefusedSection(
                index: index, media: section.kind.rawValue, transport: "UDP/TLS/RTP/SAVPF",
                formats: section.formats.map { String($0.payloadType) }.joined(separator: " "), mid: section.mid))
    }

    /// Several videos may use a payload type for the same format (RFC 9143 section 9.1).
    private func checkPayloadTypes() throws(MediaError) {
        var formats: [Int: MediaSection.Format] = [:]
        for section in sections {
            let types = section.formats.map(\.payloadType)
            let isNew = section.formats.allSatisfy { format in
                formats[format.payloadType].map { section.kind == .video && $0.encoding == format.encoding } ?? true
            }
            guard Set(types).count == types.count, isNew else {
                throw .invalidSDP(line: nil, text: "a payload type is used twice")
            }
            for format in section.formats { formats[format.payloadType] = format }
        }
    }

    /// The mids of the used m-lines, in `webrtcbin`'s order.
    private var mids: [String] { sections.map(\.mid) + [data?.mid].compactMap { $0 } }

    /// The fingerprint that the peer's certificate must have.
    var fingerprint: Fingerprint? { sections.first?.fingerprint }

    /// The description with only the given payload types for each m-line: `webrtcbin` 1.22 answers only the first one that it could use.
    ///
    /// `clockRates` are those of the codecs; they time the telephone events.
    func keeping(_ payloadTypes: [Set<Int>], clockRates: [Int]) -> RemoteDescription {
        var result = self
        for index in result.sections.indices {
            result.sections[index].formats.removeAll { !payloadTypes[index].contains($0.payloadType) }
            result.sections[index].timeTelephoneEvents(by: clockRates[index])
            result.sections[index].timeRetransmissions(by: clockRates[index])
        }
        return result
    }

    /// The number of m-lines, used or not.
    var mLineCount: Int { sections.count + refused.count + (data == nil ? 0 : 1) }

    /// The indices, among all m-lines, of those that `webrtcbin` knows; it has data channels last.
    var usedMLines: [Int] {
        let others = Set(refused.map(\.index) + [data?.index].compactMap { $0 })
        return (0..<mLineCount).filter { !others.contains($0) } + [data?.index].compactMap { $0 }
    }

    /// The used m-line of a candidate; nil when there is no such m-line at all.
    ///
    /// All m-lines share one transport, so a candidate of an unused m-line counts for the first used one.
    func section(ofMLine mLine: Int) -> Int? {
        guard (0..<mLineCount).contains(mLine) else { return nil }
        return usedMLines.firstIndex(of: mLine) ?? 0
    }

    /// The direction of each track, from the view of this end.
    var directions: [TrackID: MediaDirection] {
        Dictionary(uniqueKeysWithValues: sections.map { ($0.track, $0.direction.reversed) })
    }

    /// Checks that this answer matches its offer.
    func check(asAnswerTo offered: [MediaKind], withData: Bool) throws(MediaError) {
        var media = sections.map(\.kind.rawValue)
        let others = refused.map { ($0.index, $0.media) } + [data.map { ($0.index, "application") }].compactMap { $0 }
        for (index, name) in others.sorted(by: { $0.0 < $1.0 }) { media.insert(name, at: index) }
        guard media == offered.map(\.rawValue) + (withData ? ["application"] : []) else {
            throw .invalidSDP(line: nil, text: "the m-lines of the answer are not those of the offer")
        }
    }

    /// The answer with its refused m-lines as in `offer`, but inactive: `webrtcbin` 1.22 cannot handle port 0.
    func restoring(from offer: RemoteDescription) -> RemoteDescription {
        guard let transport = sections.first else { return self }
        var result = self
        for section in refused.sorted(by: { $0.index < $1.index }) where offer.sections.indices.contains(section.index)
        {
            var restored = offer.sections[section.index]
            restored.direction = .inactive
            restored.iceUfrag = transport.iceUfrag
            restored.icePassword = transport.icePassword
            restored.fingerprint = transport.fingerprint
            restored.setup = transport.setup
            restored.candidates = []
            restored.sources = []
            result.sections.insert(restored, at: section.index)
        }
        if result.data == nil, var restored = offer.data {
            restored.iceUfrag = transport.iceUfrag
            restored.icePassword = transport.icePassword
            restored.fingerprint = transport.fingerprint
            restored.setup = transport.setup
            restored.candidates = []
            result.data = restored
        }
        result.refused = []
        return result
    }

    /// The text for `webrtcbin`: every used m-line, as `sendrecv`.
    var forWebrtcbin: SessionDescription {
        var result = self
        // Names are looked up by the engine itself.
        result.data?.candidates.removeAll { !$0.namesAddress }
        for index in result.sections.indices {
            result.sections[index].candidates.removeAll { !$0.namesAddress }
            result.sections[index].direction = .sendrecv
            // Signalled by a separate call.
            result.sections[index].hasAllCandidates = false
            // The encoders get these values.
            result.sections[index].bandwidthKbit = nil
            result.sections[index].ptimeMs = nil
            // This end reads it.
            result.sections[index].sendTimeId = nil
            // The payloader gets it.
            result.sections[index].audioLevelId = nil
            // It does not know mids in packets.
            result.sections[index].midId = nil
            for format in result.sections[index].formats.indices {
                // Read and answered by the engine itself.
                result.sections[index].formats[format].feedback.removeAll { $0 == ReceiverEstimate.name }
                result.sections[index].formats[format].profile = nil
                result.sections[index].formats[format].sendsStereo = false
            }
        }
        return result.normalised
    }

    /// The used m-lines, written anew.
    var normalised: SessionDescription {
        var lines = [
            "v=0", "o=\(origin)", "s=-", "t=0 0", "a=group:BUNDLE \(mids.joined(separator: " "))",
            "a=ice-options:trickle",
        ]
        for section in sections { lines += section.lines }
        if let data { lines += data.lines }
        return SessionDescription(kind: kind, sdp: lines.map { $0 + "\r\n" }.joined())
    }
}
