/// When each stage of a call happened at one end.
public struct CallTimeline: Sendable, Equatable {
    /// The stages, in the order in which a call that goes well meets them.
    ///
    /// Raw values are the names in the program's JSON and frozen.
    public enum Stage: String, Sendable, CaseIterable, CodingKeyRepresentable {
        /// `call()` at the caller, the receipt of the invite at the callee.
        case invited
        /// The offer was made (caller).
        case offerCreated
        /// The answer was made (callee).
        case answerCreated
        /// The first candidate of this end was found.
        case firstCandidate
        /// The callee's device rings.
        case ringing
        /// The answer arrived (caller).
        case answerReceived
        /// ICE found a way.
        case iceConnected
        /// DTLS is up and the peer's certificate is the right one.
        case dtlsConnected
        /// The first picture was decoded.
        case firstVideoFrame
        /// The first sound was decoded.
        case firstAudioSample
        /// `accept()` at the callee, the arrival of its message at the caller.
        case accepted
        /// Accepted, and the first frame is there.
        case connected
        /// The first picture came out of the receive gate.
        case firstVideoShown
        /// The first sound came out of the receive gate.
        case firstAudioHeard
        /// The call is over.
        case ended
    }

    /// The moment that the stages are counted from.
    public let start: ContinuousClock.Instant
    /// ``start`` on the wall clock, in ms since 1970.
    public let startedUnixMs: Double
    private var marks: [Stage: ContinuousClock.Instant] = [:]

    /// Begins at `start`.
    public init(start: ContinuousClock.Instant, startedUnixMs: Double) {
        self.start = start
        self.startedUnixMs = startedUnixMs
        marks[.invited] = start
    }

    /// When `stage` happened; nil when it did not.
    public func instant(of stage: Stage) -> ContinuousClock.Instant? { marks[stage] }

    /// When `stage` happened, in ms from the start; nil when it did not.
    public func milliseconds(of stage: Stage) -> Double? { marks[stage].map { ($0 - start).inMilliseconds } }

    /// Every stage that happened, with its time in ms from the start.
    public var milliseconds: [Stage: Double] { marks.mapValues { ($0 - start).inMilliseconds } }

    /// Notes a stage; only its first time counts.
    mutating func mark(_ stage: Stage, at instant: ContinuousClock.Instant) {
        if marks[stage] == nil { marks[stage] = instant }
    }

    /// The moment on the wall clock `unixMs`, as far as this timeline's start tells.
    ///
    /// The number is a peer's word: what is further away than a day is taken as a day.
    func instant(unixMs: Double) -> ContinuousClock.Instant {
        let day = 86_400_000.0
        return start + .microseconds(Int64(min(max(unixMs - startedUnixMs, -day), day) * 1_000))
    }
}

extension MediaFact {
    /// The stage that this is, for the timeline.
    var stage: CallTimeline.Stage? {
        switch self {
        case .offerCreated: .offerCreated
        case .answerCreated: .answerCreated
        case .localCandidate: .firstCandidate
        case .iceConnected: .iceConnected
        case .verified: .dtlsConnected
        case .firstVideoFrame: .firstVideoFrame
        case .firstAudioSample: .firstAudioSample
        case .firstVideoShown: .firstVideoShown
        case .firstAudioHeard: .firstAudioHeard
        default: nil
        }
    }
}

extension Duration {
    /// The duration in ms, with its fraction.
    public var inMilliseconds: Double {
        Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15
    }
}
