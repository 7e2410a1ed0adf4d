internal import CallAgent
internal import CallProtocol

/// Where the broker is, and below which prefix this signaling has its topics.
struct MQTTAddress: Sendable, Equatable {
    let url: SignalingURL
    let topics: Topics

    /// The prefix of a URL without a path.
    static let standardPrefix = "callagent"
    private static let longestPrefix = 256

    /// Reads `mqtt://[user@]host[:port][/prefix]`.
    ///
    /// - Throws: ``SignalingError/invalidURL(_:text:)`` with the reason.
    init(_ text: String) throws(SignalingError) {
        url = try SignalingURL(text, .mqtt)
        var path = url.target.dropFirst()
        if path.hasSuffix("/") { path.removeLast() }
        let levels = path.split(separator: "/", omittingEmptySubsequences: false)
        guard path.isEmpty || levels.allSatisfy({ SignalingLimits.isName(String($0)) && !$0.contains("+") }),
            path.utf8.count <= Self.longestPrefix
        else {
            throw .invalidURL(
                text, text: "its path is no topic: use levels of ASCII letters, digits and . _ - @ : between slashes")
        }
        topics = Topics(prefix: path.isEmpty ? Self.standardPrefix : String(path))
    }
}
