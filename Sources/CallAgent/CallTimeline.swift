/// When each stage of a call happened at one end.
public struct CallTimeline: Sendable, Equatable {
    /// The stages, in the order of a successful call.
    ///
    /// The raw values are the names in the program's JSON.
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
        /// ICE found a working candidate pair.
        case iceConnected
        /// DTLS is connected and the peer's certificate matches its fingerprint.
        case dtlsConnected
        /// The first video frame was decoded.
        case firstVideoFrame
        /// The first audio samples were decoded.
        case firstAudioSample
        /// `accept()` at the callee, the arrival of the accept message at the caller.
        case accepted
        /// Accepted, and the first frame has arrived.
        case connected
        /// The first video frame passed the receive gate.
        case firstVideoShown
        /// The first audio samples passed the receive gate.
        case firstAudioHeard
        /// The call is over.
        case ended
    }

    /// The instant from which the stages are counted.
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

    /// Records a stage; only its first time counts.
    ///
    /// What happened before the call, as in a connection built ahead, counts as its beginning.
    mutating func mark(_ stage: Stage, at instant: ContinuousClock.Instant) {
        if marks[stage] == nil { marks[stage] = max(instant, start) }
    }

    /// Converts the wall clock time `unixMs` to an instant, relative to this timeline's start.
    ///
    /// The number comes from the peer: a difference of more than one day is reduced to one day.
    func instant(unixMs: Double) -> ContinuousClock.Instant {
        let day = 86_400_000.0
        return start + .microseconds(Int64(min(max(unixMs - startedUnixMs, -day), day) * 1_000))
    }
}

extension MediaFact {
    /// The timeline stage of this fact.
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
