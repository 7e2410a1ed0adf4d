/// A description that `webrtcbin` made, as lines by m-line, to be changed into what the peer receives.
struct LocalDescription: Sendable {
    private let kind: SessionDescription.Kind
    private var session: [String]
    private var media: [[String]]

    init(_ description: SessionDescription) {
        kind = description.kind
        var parts: [[String]] = [[]]
        for line in description.sdp.split(separator: "\r\n", omittingEmptySubsequences: true) {
            if line.hasPrefix("m=") { parts.append([]) }
            parts[parts.count - 1].append(String(line))
        }
        session = parts[0]
        media = Array(parts.dropFirst())
    }

    /// Sets the direction of each m-line, which `webrtcbin` always makes `sendrecv`.
    mutating func direct(_ directions: [MediaDirection]) {
        for (index, direction) in zip(media.indices, directions) {
            media[index] = media[index].map { line in
                let isDirection = MediaDirection.allCases.contains { line == "a=\($0.rawValue)" }
                return isDirection ? "a=\(direction.rawValue)" : line
            }
        }
    }

    /// Adds a payload type to an m-line that lacks it.
    mutating func add(
        _ payloadType: Int, encoding: String, parameters: String? = nil, feedback: [String] = [], toMLine index: Int
    ) {
        guard media.indices.contains(index), let head = media[index].first,
            !head.split(separator: " ").dropFirst(3).contains("\(payloadType)")
        else { return }
        media[index][0] = "\(head) \(payloadType)"
        append("a=rtpmap:\(payloadType) \(encoding)", toMLine: index)
        for value in feedback { append("a=rtcp-fb:\(payloadType) \(value)", toMLine: index) }
        if let parameters { append("a=fmtp:\(payloadType) \(parameters)", toMLine: index) }
    }

    /// Removes the formats of retransmissions (RFC 4588) from an m-line.
    mutating func removeRetransmissions(fromMLine index: Int) {
        guard media.indices.contains(index) else { return }
        let numbers = media[index].filter { $0.hasPrefix("a=rtpmap:") && $0.lowercased().contains(" rtx/") }
            .compactMap { $0.dropFirst("a=rtpmap:".count).split(separator: " ").first }
        media[index].removeAll { line in
            numbers.contains { line.hasPrefix("a=rtpmap:\($0) ") || line.hasPrefix("a=fmtp:\($0) ") }
        }
        let head = media[index][0].split(separator: " ")
        media[index][0] = (head.prefix(3) + head.dropFirst(3).filter { !numbers.contains($0) }).joined(separator: " ")
    }

    /// Replaces the encoding name of one payload type.
    mutating func rename(_ payloadType: Int, _ encoding: String, inMLine index: Int) {
        guard media.indices.contains(index) else { return }
        let start = "a=rtpmap:\(payloadType) "
        media[index] = media[index].map { $0.hasPrefix(start) ? start + encoding : $0 }
    }

    /// Replaces the format parameters of one payload type; nil keeps the present ones.
    mutating func set(_ parameters: String?, of payloadType: Int, inMLine index: Int) {
        guard let parameters, media.indices.contains(index) else { return }
        media[index].removeAll { $0.hasPrefix("a=fmtp:\(payloadType) ") }
        append("a=fmtp:\(payloadType) \(parameters)", toMLine: index)
    }

    mutating func append(_ line: String, toMLine index: Int) {
        if media.indices.contains(index) { media[index].append(line) }
    }

    func has(_ line: String, inMLine index: Int) -> Bool {
        media.indices.contains(index) && media[index].contains(line)
    }

    /// The stream of what is sent again of a stream (`a=ssrc-group:FID`, RFC 5576); nil when there is none.
    func retransmission(of ssrc: UInt32, inMLine index: Int) -> UInt32? {
        guard media.indices.contains(index) else { return nil }
        let start = "a=ssrc-group:FID \(ssrc) "
        return media[index].first { $0.hasPrefix(start) }.flatMap { UInt32($0.dropFirst(start.count)) }
    }

    /// Adds smaller versions of the stream `ssrc`, largest first (`a=ssrc-group:SIM`); the group begins with the smallest, as in libwebrtc.
    mutating func addSimulcast(_ versions: [SimulcastEncoding.Sources], of ssrc: UInt32, toMLine index: Int) {
        guard media.indices.contains(index) else { return }
        let isRepaired = retransmission(of: ssrc, inMLine: index) != nil
        let attributes = media[index].filter { $0.hasPrefix("a=ssrc:\(ssrc) ") }
            .map { $0.drop { $0 != " " } }
        let group = (versions.reversed().map(\.ssrc) + [ssrc]).map { " \($0)" }.joined()
        append("a=ssrc-group:SIM\(group)", toMLine: index)
        for version in versions {
            if isRepaired { append("a=ssrc-group:FID \(version.ssrc) \(version.retransmission)", toMLine: index) }
            for source in isRepaired ? [version.ssrc, version.retransmission] : [version.ssrc] {
                for attribute in attributes { append("a=ssrc:\(source)\(attribute)", toMLine: index) }
            }
        }
    }

    /// Removes the lines that name its streams (`a=ssrc`).
    mutating func removeSources() {
        media = media.map { lines in lines.filter { !$0.hasPrefix("a=ssrc:") } }
    }

    /// Limits what the peer may send, in kbit/s; bandwidth lines precede all attributes.
    mutating func setBandwidth(kbit: Int, inMLine index: Int) {
        guard media.indices.contains(index) else { return }
        let place = media[index].firstIndex { $0.hasPrefix("a=") } ?? media[index].endIndex
        media[index].insert(contentsOf: ["b=AS:\(kbit)", "b=TIAS:\(kbit * 1_000)"], at: place)
    }

    /// Moves the last m-line to its place in the offer, and reorders the BUNDLE group accordingly (RFC 9143 section 7.3).
    mutating func moveLast(to place: Int) {
        guard media.indices.contains(place), let last = media.popLast() else { return }
        media.insert(last, at: place)
        let mids = media.compactMap { lines in lines.first { $0.hasPrefix("a=mid:") }?.dropFirst("a=mid:".count) }
        session = session.map { $0.hasPrefix("a=group:BUNDLE") ? "a=group:BUNDLE \(mids.joined(separator: " "))" : $0 }
    }

    /// Inserts the unused m-lines at their places.
    mutating func insert(_ refused: [RefusedSection]) {
        for section in refused.sorted(by: { $0.index < $1.index }) {
            media.insert(section.lines, at: min(section.index, media.count))
        }
    }

    /// Adds the candidates to their m-lines; if they are complete, an end-of-candidates line follows them.
    mutating func add(_ candidates: [IceCandidate], isComplete: Bool) {
        for candidate in candidates where media.indices.contains(candidate.mLine) {
            media[candidate.mLine].append("a=\(candidate.candidate)")
        }
        guard isComplete else { return }
        for index in Set(candidates.map(\.mLine)) where media.indices.contains(index) {
            media[index].append("a=end-of-candidates")
        }
    }

    var description: SessionDescription {
        let lines = session + media.joined()
        return SessionDescription(kind: kind, sdp: lines.map { $0 + "\r\n" }.joined())
    }
}
