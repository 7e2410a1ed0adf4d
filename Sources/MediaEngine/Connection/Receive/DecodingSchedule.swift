/// How much of received video is decoded while nobody looks at it: no sink shows it, and no program takes its frames.
public enum DecodingPolicy: String, Sendable, CaseIterable {
    /// All of it.
    case all
    /// The first second, and then one second in ten.
    case sampled
    /// The first frame.
    case first
}

/// Decides which received frames are decoded.
///
/// Decoding begins with a key frame. Without decoding, frames are still counted, and their freezes are measured by their arrival. A value without a clock.
struct DecodingSchedule: Sendable {
    enum Verdict: Equatable {
        case decode
        /// The first one after frames that were not decoded.
        case decodeAgain
        case skip
        /// Skips, and asks the sender for a key frame.
        case skipAndRequest
    }

    private let policy: DecodingPolicy
    /// When this one's samples begin in each period, in s.
    private let phase: Double
    private var isDecoding = true
    /// When the present sample ends, in s.
    private var sampleEnd = 0.0
    /// The last period that had a sample; nil before the first frame.
    private var sampled: Int?
    private var lastRequest = -Double.infinity

    /// Of each period, one sample is decoded, both in s.
    private static let (period, sample) = (10.0, 1.0)
    /// Samples begin at one of so many phases: receivers of one shared encoder then need few key frames together, and do not all decode at once.
    private static let phases = 5
    /// How long a sample waits for a key frame that somebody else asks for, in s, and the time between two requests.
    private static let (patience, requestInterval) = (0.5, 1.0)

    /// `seed` chooses the phase.
    init(_ policy: DecodingPolicy, seed: Int = .random(in: 0..<phases)) {
        self.policy = policy
        phase = Double(seed % Self.phases) * Self.period / Double(Self.phases)
    }

    /// Judges the next frame, which arrives at `now`, in s of any clock.
    mutating func judge(isKeyFrame: Bool, hasDecoded: Bool, isWatched: Bool, at now: Double) -> Verdict {
        sampled = sampled ?? period(at: now)
        if !hasDecoded, policy == .sampled { sampleEnd = now + Self.sample }
        let (isWanted, isLate) = wanted(hasDecoded: hasDecoded, isWatched: isWatched, at: now)
        guard isWanted else {
            isDecoding = false
            return .skip
        }
        if isDecoding { return .decode }
        if isKeyFrame {
            isDecoding = true
            (sampleEnd, sampled) = (now + Self.sample, period(at: now))
            return .decodeAgain
        }
        guard isLate, now - lastRequest >= Self.requestInterval else { return .skip }
        lastRequest = now
        return .skipAndRequest
    }

    /// Whether frames are to be decoded at `now`, and whether they should have been for some time.
    private func wanted(hasDecoded: Bool, isWatched: Bool, at now: Double) -> (Bool, Bool) {
        if policy == .all || isWatched || !hasDecoded { return (true, true) }
        guard policy == .sampled else { return (false, false) }
        if isDecoding { return (now < sampleEnd, false) }
        let present = period(at: now)
        let sinceBegin = now - phase - Double(present) * Self.period
        // A sample that finds no key frame is left out.
        return (present != sampled && sinceBegin < 2 * Self.sample, sinceBegin >= Self.patience)
    }

    private func period(at now: Double) -> Int { Int(((now - phase) / Self.period).rounded(.down)) }
}
