internal import CallProtocol
internal import MediaEngine

/// A session description of a room's connection, as far as another network path changes it.
struct RoomDescription: Sendable {
    private(set) var lines: [Substring]
    private static let fragmentPrefix = "a=ice-ufrag:"
    private static let passwordPrefix = "a=ice-pwd:"
    /// The most candidates that are read.
    private static let maximumCandidates = 64

    init(_ text: String) { lines = text.split(whereSeparator: \.isNewline) }

    var text: String { lines.map { $0 + "\r\n" }.joined() }

    /// The credentials of its ICE agent as a restart with this number; all m-lines share one transport.
    ///
    /// Nil without valid ones (RFC 8839 section 5.4).
    func parameters(restart: Int) -> SignalingMessage.IceParameters? {
        guard let fragment = value(Self.fragmentPrefix), let password = value(Self.passwordPrefix),
            SignalingLimits.isIceText(fragment, atLeast: 4), SignalingLimits.isIceText(password, atLeast: 22)
        else { return nil }
        return .init(restart: restart, fragment: fragment, password: password)
    }

    /// The candidates as messages; each names its credentials, by which the receiver tells those of a restart apart.
    var candidates: [SignalingMessage.Body] {
        let fragment = value(Self.fragmentPrefix) ?? ""
        let texts = lines.filter { $0.hasPrefix("a=candidate:") }.map { $0.dropFirst("a=".count) }
        // Every m-line repeats those of the shared transport.
        var seen: Set<Substring> = []
        return texts.filter { seen.insert($0).inserted }.prefix(Self.maximumCandidates).map { text in
            .candidate(.init(candidate: text.contains(" ufrag ") ? "\(text)" : "\(text) ufrag \(fragment)", mLine: 0))
        }
    }

    /// Replaces the credentials and removes the candidates; `version` is that of the changed description (RFC 8866 section 5.2).
    mutating func restart(_ parameters: SignalingMessage.IceParameters, version: Int) {
        lines = lines.compactMap { line -> Substring? in
            if line.hasPrefix(Self.fragmentPrefix) { return "\(Self.fragmentPrefix)\(parameters.fragment)" }
            if line.hasPrefix(Self.passwordPrefix) { return "\(Self.passwordPrefix)\(parameters.password)" }
            if line.hasPrefix("a=candidate:") || line == "a=end-of-candidates" { return nil }
            guard line.hasPrefix("o=") else { return line }
            var fields = line.split(separator: " ")
            if fields.count > 2 { fields[2] = "\(version)" }
            return fields.joined(separator: " ")[...]
        }
    }

    /// The kind of the m-line with this id.
    func kind(ofMid mid: String) -> MediaKind? {
        guard let place = lines.firstIndex(where: { $0 == "a=mid:\(mid)" }) else { return nil }
        let section = lines[..<place].last { $0.hasPrefix("m=") }
        return MediaKind.allCases.first { section?.hasPrefix("m=\($0.rawValue) ") == true }
    }

    private func value(_ prefix: String) -> String? {
        lines.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}
