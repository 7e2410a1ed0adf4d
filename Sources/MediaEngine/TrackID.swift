/// Names a track of a peer connection: the audio, or one of its videos.
///
/// Both ends number the videos in the order of the m-lines: the first one is ``video``, the next one `.video(2)`.
public struct TrackID: Sendable, Hashable {
    /// Audio or video.
    public let kind: MediaKind
    /// 1 for the audio and the first video.
    public let number: Int

    /// The audio.
    public static let audio = TrackID(.audio)
    /// The first video, in most connections the only one.
    public static let video = TrackID(.video)
    /// The most videos that a connection may have.
    public static let maximumVideos = 4

    /// One of several videos; 1 is ``video``.
    public static func video(_ number: Int) -> TrackID { TrackID(.video, number) }

    init(_ kind: MediaKind, _ number: Int = 1) { (self.kind, self.number) = (kind, number) }
}

extension TrackID {
    /// The id of its codec in a ``StatisticsReport``, by which its entries can be found.
    public var codecId: String { "codec-\(self)" }
}

extension TrackID: Comparable {
    /// Audio first, then the videos: the order of the m-lines in an offer.
    public static func < (lhs: TrackID, rhs: TrackID) -> Bool { (lhs.kind, lhs.number) < (rhs.kind, rhs.number) }
}

extension TrackID: CustomStringConvertible {
    /// `audio`, `video`, `video2` and so on.
    public var description: String { number == 1 ? kind.rawValue : "\(kind.rawValue)\(number)" }
}
