internal import CallProtocol

/// An SDP fragment that carries ICE candidates, and the credentials of the end that they belong to (RFC 8840 section 9).
///
/// All m-lines share one transport, so a fragment names only the first one (RFC 9725 section 4.3.2).
struct TrickleFragment: Sendable, Equatable {
    /// Its media type in HTTP.
    static let contentType = "application/trickle-ice-sdpfrag"

    /// The lines that say which m-line it is about, from the description of the end that writes it.
    private var place: [String] = []
    var credentials: IceCredentials
    /// The candidate attributes without `a=`; an empty one is the end of candidates.
    var candidates: [String] = []

    /// A fragment without candidates for this description; nil if that has no m-line or no credentials.
    init?(of description: String) {
        let lines = Self.lines(description)
        let used = lines.firstIndex { Self.isUsed($0) } ?? lines.firstIndex { $0.hasPrefix("m=") }
        guard let first = used, let credentials = IceCredentials(in: lines) else {
            return nil
        }
        let section = lines[first...].dropFirst().prefix { !$0.hasPrefix("m=") }
        place = lines[..<first].filter { $0.hasPrefix("a=group:BUNDLE") } + [lines[first]]
        place += section.filter { $0.hasPrefix("a=mid:") }
        self.credentials = credentials
    }

    /// Reads the other end's fragment; nil if it has no credentials.
    init?(parsing text: String) {
        let lines = Self.lines(text)
        guard let credentials = IceCredentials(in: lines) else { return nil }
        self.credentials = credentials
        candidates = IceCredentials.candidates(in: lines)
    }

    /// The body of a request or a response.
    var text: String {
        let lines =
            place
            + [
                IceCredentials.fragmentPrefix + credentials.fragment,
                IceCredentials.passwordPrefix + credentials.password,
            ]
            + candidates.map { $0.isEmpty ? "a=end-of-candidates" : "a=\($0)" }
        return lines.map { $0 + "\r\n" }.joined()
    }

    /// The candidates as messages.
    var messages: [SignalingMessage.Body] { credentials.messages(of: candidates) }

    /// Whether the line is an m-line with a port: the first of them has the transport that all share.
    static func isUsed(_ line: String) -> Bool {
        line.hasPrefix("m=") && line.split(separator: " ", maxSplits: 2).dropFirst().first != "0"
    }

    private static func lines(_ text: String) -> [String] { text.split(whereSeparator: \.isNewline).map(String.init) }
}
