/// A description of the peer's, parsed, checked and normalised before `webrtcbin` sees it.
///
/// `webrtcbin` 1.22 aborts the process or gets stuck on several malformed or unusual descriptions, so nothing reaches it
/// that was not understood here: ``normalised`` is written anew from the checked parts.
struct RemoteDescription: Sendable, Equatable {
    let kind: SessionDescription.Kind
    /// The id, version and so on of `o=`.
    let origin: String
    var sections: [MediaSection]

    /// The longest text that is accepted, in bytes.
    static let maximumBytes = 32_768
    /// The most m-lines that are accepted: one for each kind.
    static let maximumSections = MediaKind.allCases.count

    /// - Throws: ``MediaError/invalidSDP(line:text:)`` with the line at fault.
    init(_ description: SessionDescription) throws(MediaError) {
        guard description.sdp.utf8.count <= Self.maximumBytes else {
            throw .invalidSDP(line: nil, text: "longer than \(Self.maximumBytes) bytes")
        }
        var reader = try SDPReader(SDPLine.lines(of: description.sdp))
        kind = description.kind
        origin = reader.origin
        sections = try reader.sections()
        try checkSections()
        try reader.checkBundle(mids: sections.map(\.mid))
        for section in sections where kind == .offer ? section.setup != "actpass" : section.setup == "actpass" {
            throw .invalidSDP(line: nil, text: "a=setup:\(section.setup) does not suit an \(kind)")
        }
    }

    private func checkSections() throws(MediaError) {
        guard (1...Self.maximumSections).contains(sections.count) else {
            throw .invalidSDP(line: nil, text: "\(sections.count) m-lines; 1 to \(Self.maximumSections) are supported")
        }
        guard Set(sections.map(\.mid)).count == sections.count, Set(sections.map(\.kind)).count == sections.count else {
            throw .invalidSDP(line: nil, text: "two m-lines have the same mid or the same kind")
        }
        // webrtcbin has one DTLS transport under max-bundle and takes the fingerprint of any section.
        guard Set(sections.map(\.fingerprint.description)).count == 1 else {
            throw .invalidSDP(line: nil, text: "the m-lines have different fingerprints")
        }
        guard Set(sections.map { [$0.iceUfrag, $0.icePassword] }).count == 1 else {
            throw .invalidSDP(line: nil, text: "the m-lines of one bundle have different ICE credentials")
        }
        let payloads = sections.flatMap { $0.formats.map(\.payloadType) }
        guard Set(payloads).count == payloads.count else {
            throw .invalidSDP(line: nil, text: "a payload type is used twice")
        }
    }

    /// The fingerprint that the peer's certificate must have.
    var fingerprint: Fingerprint? { sections.first?.fingerprint }

    /// The same with one payload type for each m-line, those given: `webrtcbin` 1.22 answers only the first it could use.
    func keeping(_ payloadTypes: [Int]) -> RemoteDescription {
        var result = self
        for index in result.sections.indices {
            result.sections[index].formats.removeAll { $0.payloadType != payloadTypes[index] }
        }
        return result
    }

    /// Checks that media is to flow both ways: the engine holds it back with its gates, not with the direction of an m-line.
    func checkDirections() throws(MediaError) {
        for section in sections where section.direction != .sendrecv {
            throw .invalidSDP(line: nil, text: "a=\(section.direction.rawValue) is not supported, only a=sendrecv")
        }
    }

    /// Checks that this answer fits the offer that it answers.
    func check(asAnswerTo offered: [MediaKind]) throws(MediaError) {
        guard sections.map(\.kind) == offered else {
            throw .invalidSDP(line: nil, text: "the m-lines of the answer are not those of the offer")
        }
    }

    /// The text for `webrtcbin`.
    var normalised: SessionDescription {
        var lines = [
            "v=0", "o=\(origin)", "s=-", "t=0 0", "a=group:BUNDLE \(sections.map(\.mid).joined(separator: " "))",
            "a=ice-options:trickle",
        ]
        for section in sections { lines += section.lines }
        return SessionDescription(kind: kind, sdp: lines.map { $0 + "\r\n" }.joined())
    }
}
