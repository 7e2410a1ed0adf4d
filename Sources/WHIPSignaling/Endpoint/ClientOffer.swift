internal import CallProtocol

/// The SDP offer of a client, and what it says about the media.
struct ClientOffer: Sendable, Equatable {
    /// The offer, in which the client only sends or only receives, even if it offered both (RFC 9725 section 4.2).
    var sdp: String
    var media: CallMedia
    /// What the client sends.
    var sends: MediaState
    var credentials: IceCredentials

    /// Why an offer cannot be used.
    struct Unusable: Error, Sendable, Equatable {
        var text: String
    }

    init(_ text: String, of role: WHIPRole) throws(Unusable) {
        guard let fragment = TrickleFragment(of: text), fragment.credentials.isValid else {
            throw Unusable(text: "the body is no SDP offer with media and ICE credentials")
        }
        credentials = fragment.credentials
        let lines = text.split(whereSeparator: \.isNewline)
        let session = lines.prefix { !$0.hasPrefix("m=") }
        // The direction of an m-line without one; both directions if the session has none either (RFC 8866 section 6.7).
        let common = session.last(where: Self.isDirection) ?? "a=sendrecv"
        let wanted: Substring = role == .publisher ? "a=sendonly" : "a=recvonly"
        var written = session.filter { !Self.isDirection($0) }
        var (kinds, seen): (Set<Substring>, Set<Substring>) = ([], [])
        var rest = lines.dropFirst(session.count)
        while let mLine = rest.popFirst() {
            let attributes = rest.prefix { !$0.hasPrefix("m=") }
            rest = rest.dropFirst(attributes.count)
            let kind = mLine.dropFirst("m=".count).prefix { $0 != " " }
            guard ["audio", "video"].contains(kind) else {
                written += [mLine] + attributes
                continue
            }
            let own = attributes.last(where: Self.isDirection) ?? common
            // Port 0 is a rejected m-line, unless it shares the transport of another (RFC 9143 section 6).
            let isRejected = mLine.hasPrefix("m=\(kind) 0 ") && !attributes.contains("a=bundle-only")
            let isUsed = (own == wanted || own == "a=sendrecv") && !isRejected
            // A call has one track of each kind (RFC 9725 section 4.4.2 allows to refuse others).
            guard seen.insert(kind).inserted || !isUsed else {
                throw Unusable(text: "the offer has more than one m-line of \(kind)")
            }
            if isUsed { kinds.insert(kind) }
            written += [mLine] + attributes.filter { !Self.isDirection($0) } + [isUsed ? wanted : "a=inactive"]
        }
        media = CallMedia(audio: kinds.contains("audio"), video: kinds.contains("video"))
        guard !kinds.isEmpty else {
            let verb = role == .publisher ? "sends" : "receives"
            throw Unusable(text: "the offer \(verb) neither audio nor video; /\(role.endpoint) is for clients that do")
        }
        sends =
            role == .player ? .nothing : MediaState(audio: media.audio ? .on : .off, video: media.video ? .on : .off)
        sdp = written.map { $0 + "\r\n" }.joined()
        guard sdp.utf8.count <= SignalingLimits.sdpBytes else {
            throw Unusable(text: "the offer is longer than \(SignalingLimits.sdpBytes) bytes")
        }
    }

    private static func isDirection(_ line: Substring) -> Bool {
        ["a=sendrecv", "a=sendonly", "a=recvonly", "a=inactive"].contains(line)
    }
}
