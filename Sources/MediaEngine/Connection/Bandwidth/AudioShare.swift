/// The rate of audio beside video on a narrow path.
///
/// Opus needs few bits for clean speech. Where the path leaves little to the video, what audio gives up is a good part of it. A pure value.
struct AudioShare: Sendable {
    /// What is left to audio on such a path, in kbit/s.
    static let narrowKbit = 24
    /// A path that leaves less to the video is narrow, in bit/s with all headers, until it leaves enough.
    private static let little = 130_000.0
    private static let enough = 180_000.0

    /// The most that audio gets, in kbit/s; nil: what it asks for.
    private(set) var limitKbit: Int?

    /// Notes what the path leaves to the video, in bit/s with all headers; nil: the path does not limit it.
    ///
    /// - Returns: Whether ``limitKbit`` changed.
    mutating func note(videoBandwidth: Double?) -> Bool {
        let former = limitKbit
        let bandwidth = videoBandwidth ?? .infinity
        if bandwidth < Self.little { limitKbit = Self.narrowKbit }
        if bandwidth >= Self.enough { limitKbit = nil }
        return limitKbit != former
    }
}
