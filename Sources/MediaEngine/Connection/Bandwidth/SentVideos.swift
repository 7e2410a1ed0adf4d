internal import Foundation

/// Videos that share what the path takes, by what each wants.
struct SentVideos: Sendable {
    /// One of them.
    struct Video: Sendable {
        let id: TrackID
        let ssrcs: [UInt32]
        let rate: VideoRate
        /// Its part of all that is wanted, 0 to 1.
        let share: Double
    }

    let videos: [Video]
    /// What all of them want, in kbit/s.
    let wantedKbit: Int

    /// The first of `tracks` counts when none of them is sent: its video is about to begin.
    init(_ tracks: [SendTrack]) {
        let sent = tracks.count > 1 ? tracks.filter(\.isSending) : tracks
        let rates = (sent.isEmpty ? Array(tracks.prefix(1)) : sent).compactMap { track in
            track.rate.map { (track: track, rate: $0, wanted: $0.wantedKbit) }
        }
        let wanted = rates.map(\.wanted).reduce(0, +)
        wantedKbit = wanted
        videos = rates.map {
            Video(
                id: $0.track.id, ssrcs: $0.track.ssrcs, rate: $0.rate,
                share: Double($0.wanted) / Double(max(wanted, 1)))
        }
    }

    /// The part of each.
    var shares: [TrackID: Double] { Dictionary(uniqueKeysWithValues: videos.map { ($0.id, $0.share) }) }

    /// Whether a change of the rate costs none of the encoders a key frame.
    var changeSmoothly: Bool { videos.allSatisfy(\.rate.encoder.changesRateSmoothly) }
}

/// The share of each video in the bytes that were sent over about the last second.
///
/// A pure value; times are in s.
struct SentShares: Sendable {
    private static let memory = 1.0
    /// What was sent before a longer time without news says nothing about now.
    private static let longestPause = 3.0

    private var totals: [UInt32: Int] = [:]
    private var latest: [UInt32: Double] = [:]
    private var time: Double?

    /// Notes how many bytes of each stream were sent so far.
    mutating func note(_ bytes: [UInt32: Int], at now: Double) {
        // What was sent while nobody noted it was not sent lately.
        if let time, now - time > Self.longestPause { (totals, latest) = (bytes, [:]) }
        let kept = exp(-(now - (time ?? now)) / Self.memory)
        for (ssrc, total) in bytes {
            latest[ssrc] = (latest[ssrc] ?? 0) * kept + Double(total - (totals[ssrc] ?? 0))
        }
        (totals, time) = (bytes, now)
    }

    /// The share of these streams, 0 to 1; 0 before anything was sent.
    func share(of ssrcs: [UInt32]) -> Double {
        let all = latest.values.reduce(0, +)
        return all > 0 ? ssrcs.reduce(0) { $0 + (latest[$1] ?? 0) } / all : 0
    }
}
