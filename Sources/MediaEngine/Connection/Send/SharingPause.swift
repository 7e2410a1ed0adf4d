/// How long a track that was set apart keeps its own encoder: longer each time, until it has shared one for a while.
struct SharingPause: Sendable {
    /// Nothing is shared before.
    private(set) var end = ClockReading.now
    private var length = shortest
    private var failureLength = shortestAfterFailure
    private var requests: [ClockReading] = []

    private static let (shortest, longest) = (Duration.milliseconds(250), Duration.seconds(8))
    private static let (shortestAfterFailure, longestAfterFailure) = (Duration.seconds(5), Duration.seconds(300))
    /// More requests for key frames than this within ``window`` are too many.
    private static let (mostRequests, window) = (4, Duration.seconds(10))

    /// Begins a pause, because the path sets the track apart.
    mutating func begin(at now: ClockReading) {
        end = max(end, now + length)
        length = min(length * 2, Self.longest)
    }

    /// Begins a pause, because sharing failed or harmed others.
    mutating func beginAfterFailure(at now: ClockReading) {
        end = max(end, now + failureLength)
        failureLength = min(failureLength * 2, Self.longestAfterFailure)
        requests = []
    }

    /// The next pause is short again.
    mutating func reset() { (length, failureLength) = (Self.shortest, Self.shortestAfterFailure) }

    /// Takes a request of the peer for a key frame; whether there are too many.
    mutating func isTooOften(at now: ClockReading) -> Bool {
        requests.removeAll { now - $0 > Self.window }
        requests.append(now)
        return requests.count > Self.mostRequests
    }
}
