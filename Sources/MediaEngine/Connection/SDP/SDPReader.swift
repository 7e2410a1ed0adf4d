/// Reads and checks the media sections of a description's lines.
struct SDPReader {
    private let session: [SDPLine]
    private let media: [[SDPLine]]
    /// The lines of the m-line whose transport the whole bundle shares (RFC 9143 section 7.1.3): other m-lines need not repeat them.
    private let tagged: [SDPLine]
    /// The value of `o=`.
    let origin: String

    init(_ lines: [SDPLine]) throws(MediaError) {
        guard lines.first?.type == "v", lines.first?.value == "0" else {
            throw .invalidSDP(line: 1, text: "does not begin with v=0")
        }
        guard let origin = lines.first(where: { $0.type == "o" }) else {
            throw .invalidSDP(line: nil, text: "has no o= line")
        }
        let words = origin.value.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, UInt64(words[1]) != nil, UInt64(words[2]) != nil, words.allSatisfy({ !$0.isEmpty })
        else {
            throw .invalidSDP(line: origin.number, text: "the o= line is malformed")
        }
        // An answerer needs only the two numbers, not the peer's name and address.
        self.origin = "- \(words[1]) \(words[2]) IN IP4 0.0.0.0"
        var parts: [[SDPLine]] = [[]]
        for line in lines {
            if line.type == "m" { parts.append([]) }
            parts[parts.count - 1].append(line)
        }
        session = parts[0]
        media = Array(parts.dropFirst())
        let group = session.first { $0.attribute == "group" && $0.attributeValue.hasPrefix("BUNDLE") }
        let mid = group?.attributeValue.split(separator: " ").dropFirst().first
        tagged = media.first { $0.contains { $0.attribute == "mid" && $0.attributeValue == mid ?? "" } } ?? []
    }

    /// The m-lines of `tracks`, and the others.
    ///
    /// An answer has the m-lines of the offer, also refused ones; those of an offer are not counted. A further video of an offer is refused if it is malformed.
    mutating func sections(
        of tracks: Set<TrackID>, acceptsData: Bool, isAnswer: Bool
    ) throws(MediaError) -> (used: [MediaSection], data: DataSection?, refused: [RefusedSection]) {
        guard media.count <= RemoteDescription.maximumSections else {
            throw .invalidSDP(
                line: nil, text: "\(media.count) m-lines; \(RemoteDescription.maximumSections) at most are supported")
        }
        var used: [MediaSection] = []
        var data: DataSection?
        var refused: [RefusedSection] = []
        var counts: [MediaKind: Int] = [:]
        for (index, lines) in media.enumerated() {
            let head = try self.head(lines[0])
            // RFC 9143 section 6: port 0 refuses an m-line, unless it is bundle-only.
            let isOff = head.port == 0 && !lines.contains { $0.attribute == "bundle-only" }
            let kind = MediaKind(rawValue: head.media)
            if let kind, !isOff || isAnswer { counts[kind, default: 0] += 1 }
            let track = kind.map { TrackID($0, counts[$0] ?? 0) }
            if let track, track.number > 1, !isAnswer, tracks.contains(track), !isOff,
                let section = try? section(lines, head, track, index: used.count)
            {
                used.append(section)
            } else if let track, track.number == 1 || isAnswer, tracks.contains(track), !isOff {
                used.append(try section(lines, head, track, index: used.count))
            } else if acceptsData, data == nil, !isOff, Self.isData(head, lines) {
                data = try dataSection(lines, index: index)
            } else {
                var mid: String?
                if let line = lines.first(where: { $0.attribute == "mid" }) {
                    mid = try checkedMid(line.attributeValue, lines[0])
                }
                refused.append(
                    RefusedSection(
                        index: index, media: head.media, transport: head.transport,
                        formats: head.formats.joined(separator: " "), mid: mid)
                )
            }
        }
        return (used, data, refused)
    }

    /// Whether an m-line is for data channels in the form that `webrtcbin` supports.
    private static func isData(_ head: Head, _ lines: [SDPLine]) -> Bool {
        head.media == "application" && head.transport.hasSuffix("DTLS/SCTP") && head.formats == ["webrtc-datachannel"]
            && lines.contains { $0.attribute == "sctp-port" && $0.attributeValue == DataSection.port }
    }

    private func dataSection(_ lines: [SDPLine], index: Int) throws(MediaError) -> DataSection {
        let head = lines[0]
        guard let mid = lines.first(where: { $0.attribute == "mid" }) else {
            throw .invalidSDP(line: head.number, text: "has no a=mid")
        }
        guard let fingerprint = Fingerprint(attribute: try value("fingerprint", lines, head)) else {
            throw .invalidSDP(line: head.number, text: "the fingerprint is malformed")
        }
        let size = lines.first { $0.attribute == "max-message-size" }.flatMap { UInt64($0.attributeValue) } ?? 65_536
        return DataSection(
            index: index, mid: try checkedMid(mid.attributeValue, head),
            iceUfrag: try credential("ice-ufrag", 4...256, lines, head),
            icePassword: try credential("ice-pwd", 22...256, lines, head), fingerprint: fingerprint,
            setup: try value("setup", lines, head), candidates: try candidates(lines, mLine: index),
            // RFC 8841 section 6.1: 0 means any length.
            maxMessageSize: size == 0 ? 65_536 : Int(min(size, 65_536)))
    }

    /// The parts of an m-line, all tokens.
    private struct Head {
        let media: String
        let port: UInt16
        let transport: String
        let formats: [Substring]
    }

    private func head(_ line: SDPLine) throws(MediaError) -> Head {
        let words = line.value.split(separator: " ")
        guard words.count >= 4, let port = UInt16(words[1]), words[0].utf8.count <= 32, words[2].utf8.count <= 64,
            words.allSatisfy({ $0.utf8.allSatisfy { $0.isToken || $0 == UInt8(ascii: "/") } })
        else {
            throw .invalidSDP(line: line.number, text: "not of the form 'm=<media> <port> <transport> <format> …'")
        }
        return Head(
            media: String(words[0]), port: port, transport: String(words[2]), formats: Array(words.dropFirst(3)))
    }

    private func checkedMid(_ mid: String, _ head: SDPLine) throws(MediaError) -> String {
        guard (1...32).contains(mid.utf8.count), mid.utf8.allSatisfy(\.isToken) else {
            throw .invalidSDP(line: head.number, text: "the mid is no token of 1 to 32 characters")
        }
        return mid
    }

    /// Whether the BUNDLE group names this m-line.
    func isBundled(_ mid: String) -> Bool {
        session.first { $0.attribute == "group" && $0.attributeValue.hasPrefix("BUNDLE") }?
            .attributeValue.split(separator: " ").dropFirst().contains { $0 == mid } == true
    }

    /// The BUNDLE group has to name every used section (RFC 9143), because the engine has one transport.
    func checkBundle(mids: [String], refused: [String]) throws(MediaError) {
        let groups = session.filter { $0.attribute == "group" && $0.attributeValue.hasPrefix("BUNDLE") }
        guard groups.count <= 1 else { throw .invalidSDP(line: groups[1].number, text: "has two BUNDLE groups") }
        guard let group = groups.first else {
            guard mids.count == 1 else { throw .invalidSDP(line: nil, text: "does not bundle its m-lines") }
            return
        }
        let named = Set(group.attributeValue.split(separator: " ").dropFirst().map(String.init))
        guard named.isSuperset(of: mids), named.isSubset(of: mids + refused) else {
            throw .invalidSDP(line: group.number, text: "the BUNDLE group does not name each m-line once")
        }
    }

    /// `index` counts the used m-lines.
    private func section(
        _ lines: [SDPLine], _ mLine: Head, _ track: TrackID, index: Int
    ) throws(MediaError) -> MediaSection {
        let head = lines[0]
        guard mLine.transport.hasSuffix("TLS/RTP/SAVPF") else {
            throw .invalidSDP(line: head.number, text: "the protocol is not UDP/TLS/RTP/SAVPF")
        }
        guard let mid = lines.first(where: { $0.attribute == "mid" }) else {
            throw .invalidSDP(line: head.number, text: "has no a=mid")
        }
        guard let fingerprint = Fingerprint(attribute: try value("fingerprint", lines, head)) else {
            throw .invalidSDP(line: head.number, text: "the fingerprint is malformed")
        }
        let setup = try value("setup", lines, head)
        guard ["actpass", "active", "passive"].contains(setup) else {
            throw .invalidSDP(line: head.number, text: "a=setup is none of actpass, active, passive")
        }
        guard (lines + tagged).contains(where: { $0.attribute == "rtcp-mux" }) else {
            throw .invalidSDP(line: head.number, text: "RTP and RTCP do not share a port (a=rtcp-mux)")
        }
        return MediaSection(
            track: track, mid: try checkedMid(mid.attributeValue, head),
            formats: try formats(mLine.formats, lines, head),
            direction: Self.direction(lines) ?? Self.direction(session) ?? .sendrecv,
            iceUfrag: try credential("ice-ufrag", 4...256, lines, head),
            icePassword: try credential("ice-pwd", 22...256, lines, head),
            fingerprint: fingerprint, setup: setup, candidates: try candidates(lines, mLine: index),
            hasAllCandidates: lines.contains { $0.attribute == "end-of-candidates" },
            takesReducedSizeRtcp: lines.contains { $0.attribute == "rtcp-rsize" },
            bandwidthKbit: Self.bandwidthKbit(lines), ptimeMs: Self.ptimeMs(lines),
            sources: Self.sources(lines),
            transportSequenceId: Self.headerExtension(TransportFeedback.extensionURI, lines),
            sendTimeId: Self.headerExtension(AbsoluteSendTime.extensionURI, lines),
            audioLevelId: Self.headerExtension(AudioLevel.extensionURI, lines, besides: .recvonly),
            midId: Self.headerExtension(StreamRoutes.extensionURI, lines, besides: .sendonly))
    }

    /// A value from the section or, if it lacks it, from the session or the bundle's first section.
    private func value(_ name: String, _ lines: [SDPLine], _ head: SDPLine) throws(MediaError) -> String {
        guard
            let line = lines.first(where: { $0.attribute == name }) ?? session.first(where: { $0.attribute == name })
                ?? tagged.first(where: { $0.attribute == name })
        else {
            throw .invalidSDP(line: head.number, text: "has no a=\(name)")
        }
        return line.attributeValue
    }

    private func credential(
        _ name: String, _ length: ClosedRange<Int>, _ lines: [SDPLine], _ head: SDPLine
    ) throws(MediaError) -> String {
        let value = try value(name, lines, head)
        guard length.contains(value.utf8.count), value.utf8.allSatisfy(\.isIceCharacter) else {
            throw .invalidSDP(line: head.number, text: "a=\(name) is malformed (RFC 8839 section 5.4)")
        }
        return value
    }

    private func formats(
        _ payloads: [Substring], _ lines: [SDPLine], _ head: SDPLine
    ) throws(MediaError) -> [MediaSection.Format] {
        guard payloads.count <= 64 else { throw .invalidSDP(line: head.number, text: "has more than 64 payload types") }
        let names = lines.filter { $0.attribute == "rtpmap" }
        let parameters = lines.filter { $0.attribute == "fmtp" }
        let feedback = lines.filter { $0.attribute == "rtcp-fb" }
        var formats: [MediaSection.Format] = []
        for word in payloads {
            guard let payload = Int(word), (0...127).contains(payload) else {
                throw .invalidSDP(line: head.number, text: "'\(word.prefix(16))' is no payload type")
            }
            let named = Self.texts(of: payload, names).first
            guard let encoding = named ?? Codec.encoding(ofStaticPayloadType: payload), encoding.contains("/") else {
                continue
            }
            guard encoding.utf8.count <= 64, encoding.utf8.allSatisfy(\.isVisible) else {
                throw .invalidSDP(line: head.number, text: "the rtpmap of \(payload) is malformed")
            }
            let parameters = Self.texts(of: payload, parameters).first
            formats.append(
                .init(
                    payloadType: payload, encoding: encoding, parameters: parameters.flatMap(Self.checkedParameters),
                    profile: Self.profile(of: encoding, parameters), sendsStereo: Self.sendsStereo(parameters),
                    repairedPayloadType: Self.repairedPayloadType(of: encoding, parameters),
                    feedback: Self.texts(of: payload, feedback).filter(Self.knownFeedback.contains)))
        }
        guard !formats.isEmpty else { throw .invalidSDP(line: head.number, text: "has no payload type with a rtpmap") }
        return formats
    }

    private func candidates(_ lines: [SDPLine], mLine: Int) throws(MediaError) -> [IceCandidate] {
        var candidates: [IceCandidate] = []
        for line in lines where line.attribute == "candidate" {
            let candidate = IceCandidate(mLine: mLine, candidate: line.value)
            do {
                try candidate.check()
            } catch {
                throw .invalidSDP(line: line.number, text: "\(error)")
            }
            candidates.append(candidate)
        }
        guard candidates.count <= 64 else {
            throw .invalidSDP(line: nil, text: "has more than 64 candidates for one m-line")
        }
        return candidates
    }
}
