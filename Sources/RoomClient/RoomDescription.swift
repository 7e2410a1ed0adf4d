internal import CallProtocol
internal import MediaEngine

/// A session description of a room's connection, as far as another network path changes it.
struct RoomDescription: Sendable {
    private(set) var lines: [Substring]

    init(_ text: String) { lines = text.split(whereSeparator: \.isNewline) }

    var text: String { lines.map { $0 + "\r\n" }.joined() }

    /// The credentials of its ICE agent as a restart with this number; all m-lines share one transport.
    ///
    /// Nil without valid ones (RFC 8839 section 5.4).
    func parameters(restart: Int) -> SignalingMessage.IceParameters? {
        guard let credentials = IceCredentials(in: lines), credentials.isValid else { return nil }
        return credentials.parameters(restart: restart)
    }

    /// The candidates as messages.
    var candidates: [SignalingMessage.Body] {
        IceCredentials(in: lines)?.messages(of: IceCredentials.candidates(in: lines)) ?? []
    }

    /// Replaces the credentials and removes the candidates; `version` is that of the changed description (RFC 8866 section 5.2).
    mutating func restart(_ parameters: SignalingMessage.IceParameters, version: Int) {
        lines = lines.compactMap { line -> Substring? in
            for (prefix, value) in [
                (IceCredentials.fragmentPrefix, parameters.fragment),
                (IceCredentials.passwordPrefix, parameters.password),
            ] where line.hasPrefix(prefix) { return "\(prefix)\(value)" }
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
}
