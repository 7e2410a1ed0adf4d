/// The rate of audio beside video on a narrow path.
///
/// Opus needs few bits for clean speech. Where the path leaves little to the video, what audio gives up is a good part of it. A pure value.
struct AudioShare: Sendable {
    /// What is left to audio on such a path, in kbit/s.
    static let narrowKbit = 24
    /// A path that leaves less to the video is narrow, in bit/s with all headers, until it leaves enough.
    private static let little = 130_000.0
    private static let enough = 180_000.0
    /// So long the video uses no more than half of that before audio has its rate back, in s.
    private static let unusedTime = 5.0

    /// The most that audio gets, in kbit/s; nil: what it asks for.
    private(set) var limitKbit: Int?
    /// When the video used most of what it may have last.
    private var lastUse = 0.0

    /// Notes what the path leaves to the video, in bit/s with all headers, and whether the video uses most of it, at a time in s; nil: the path does not limit it.
    ///
    /// - Returns: Whether ``limitKbit`` changed.
    mutating func note(_ video: (bandwidth: Double, isUsed: Bool)?, at now: Double) -> Bool {
        let former = limitKbit
        if let video {
            if video.isUsed { lastUse = now }
            if video.isUsed, video.bandwidth < Self.little { limitKbit = Self.narrowKbit }
            if video.bandwidth >= Self.enough || now - lastUse > Self.unusedTime { limitKbit = nil }
        } else {
            limitKbit = nil
        }
        return limitKbit != former
    }
}
