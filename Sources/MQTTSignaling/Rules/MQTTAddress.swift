internal import CallAgent
internal import CallProtocol

/// Where the broker is, and below which prefix this signaling has its topics.
struct MQTTAddress: Sendable, Equatable {
    /// As the user wrote it.
    let text: String
    /// The nodes of the broker, at least one; they differ in host and port only.
    let nodes: [SignalingURL]
    let topics: Topics

    /// The prefix of a URL without a path.
    static let standardPrefix = "callagent"
    /// The most nodes of a URL.
    static let maximumNodes = 16
    private static let longestPrefix = 256

    /// Reads `mqtt://[user@]host[:port][,host[:port]…][/prefix]`.
    ///
    /// - Throws: ``SignalingError/invalidURL(_:text:)`` with the reason.
    init(_ text: String) throws(SignalingError) {
        self.text = text
        func invalid(_ reason: String) -> SignalingError { .invalidURL(text, text: reason) }
        let places = SignalingURL.nodes(of: text)
        guard places.count <= Self.maximumNodes else { throw invalid("it has more than \(Self.maximumNodes) hosts") }
        var nodes: [SignalingURL] = []
        for place in places {
            do throws(SignalingError) {
                nodes.append(try SignalingURL(place, .mqtt))
            } catch {
                guard case .invalidURL(_, let reason) = error else { throw error }
                throw invalid(reason)
            }
        }
        self.nodes = nodes
        var path = nodes[0].target.dropFirst()
        if path.hasSuffix("/") { path.removeLast() }
        let levels = path.split(separator: "/", omittingEmptySubsequences: false)
        guard path.isEmpty || levels.allSatisfy({ SignalingLimits.isName(String($0)) && !$0.contains("+") }),
            path.utf8.count <= Self.longestPrefix
        else {
            throw invalid("its path is no topic: use levels of ASCII letters, digits and . _ - @ : between slashes")
        }
        topics = Topics(prefix: path.isEmpty ? Self.standardPrefix : String(path))
    }
}
