/// The time limits of a ``WebSocketTransport``, and the certificates that it trusts.
///
/// A time below 1 ms or above one day is taken as that bound.
public struct WebSocketTransportConfiguration: Sendable, Equatable {
    /// How long an attempt to connect, upgrade and sign in may take in all.
    public var connectTimeout: Duration = .seconds(5)
    /// How often the server is pinged.
    public var pingInterval: Duration = .seconds(5)
    /// How long the server may be completely silent before the connection counts as lost.
    public var silenceTimeout: Duration = .seconds(15)
    /// The longest that the server may take to answer after ``WebSocketTransport/checkConnection()``.
    ///
    /// A server whose sign-in was faster than that has as much time as the sign-in took, and 100 ms at least.
    public var checkTimeout: Duration = .seconds(2)
    /// The first pause before a lost connection is retried; it doubles with every failure.
    public var shortestRetryDelay: Duration = .milliseconds(200)
    /// The longest pause between two attempts.
    public var longestRetryDelay: Duration = .seconds(5)
    /// How long ``WebSocketTransport/close()`` waits for the server to take what was sent before.
    public var closeTimeout: Duration = .seconds(2)

    /// For `wss://`: a PEM file with certificates that are trusted in addition to the system's, for a server with a self-made certificate.
    public var trustRootsFile: String?

    /// Makes a configuration with the default time limits.
    public init() {}

    /// The same limits, within the range of a timer.
    func bounded() -> Self {
        func bounded(_ duration: Duration) -> Duration { min(max(duration, .milliseconds(1)), .seconds(86_400)) }
        var result = self
        result.connectTimeout = bounded(connectTimeout)
        result.pingInterval = bounded(pingInterval)
        result.silenceTimeout = bounded(silenceTimeout)
        result.checkTimeout = bounded(checkTimeout)
        result.shortestRetryDelay = bounded(shortestRetryDelay)
        result.longestRetryDelay = bounded(longestRetryDelay)
        result.closeTimeout = bounded(closeTimeout)
        return result
    }
}
