/// The time limits of an ``MQTTTransport``, and its certificates.
///
/// A time outside of its range is taken as the nearest bound.
public struct MQTTTransportConfiguration: Sendable, Equatable {
    /// How long an attempt to connect, sign in and subscribe may take at one node; 1 ms to one day.
    ///
    /// A cluster that has just lost a node may need some seconds.
    public var connectTimeout: Duration = .seconds(10)
    /// How often a silent connection is checked, in whole seconds, 5 to 3,600.
    ///
    /// The broker publishes the last will of a client that is silent for one and a half times as long; so peers learn after that time that this end
    /// has vanished.
    public var keepAlive: Duration = .seconds(10)
    /// The longest that the broker may take to acknowledge a message after ``MQTTTransport/checkConnection()``; 1 ms to one day.
    ///
    /// A broker whose sign-in was fast has less time: as long as that took, and 100 ms at least.
    public var checkTimeout: Duration = .seconds(2)
    /// The shortest time for an answer to a check, for a broker that is busy.
    static let shortestCheck = Duration.milliseconds(100)
    /// How long this device counts as signed in when nothing renews that, 3 s to one hour; it is renewed three times as often.
    public var presenceValidity: Duration = .seconds(60)
    /// The first pause before a lost connection is tried again, 1 ms to one day.
    ///
    /// It doubles with every failure.
    public var shortestRetryDelay: Duration = .milliseconds(200)
    /// The longest pause between two attempts; 1 ms to one day.
    public var longestRetryDelay: Duration = .seconds(5)
    /// How long ``MQTTTransport/close()`` waits for the broker to take what was sent before; 1 ms to one day.
    public var closeTimeout: Duration = .seconds(2)

    /// Identifies the program to others, also when it signs in again by another transport: 1 to 64 characters; nil: a random text.
    ///
    /// For a server that signs its clients in. Everybody may read it.
    package var session: String?
    /// What several transports with the same URL know of its nodes together; nil: each one finds out by itself.
    package var nodes: BrokerNodes?

    /// For `mqtts://`: a PEM file with certificates that are trusted in addition to the system's.
    public var trustRootsFile: String?
    /// For `mqtts://`: a PEM file with the certificate that this client shows, for a broker that asks for one.
    public var certificateFile: String?
    /// A PEM file with the key of ``certificateFile``, without a password.
    public var keyFile: String?

    /// Makes a configuration with the default time limits.
    public init() {}

    /// The same limits, within their ranges.
    func bounded() -> Self {
        func bounded(
            _ duration: Duration, _ range: ClosedRange<Duration> = .milliseconds(1) ... .seconds(86_400)
        ) -> Duration { min(max(duration, range.lowerBound), range.upperBound) }
        var result = self
        result.connectTimeout = bounded(connectTimeout)
        result.keepAlive = bounded(keepAlive, .seconds(5) ... .seconds(3_600))
        result.checkTimeout = bounded(checkTimeout)
        result.presenceValidity = bounded(presenceValidity, .seconds(3) ... .seconds(3_600))
        result.shortestRetryDelay = bounded(shortestRetryDelay)
        result.longestRetryDelay = bounded(longestRetryDelay)
        result.closeTimeout = bounded(closeTimeout)
        return result
    }
}
