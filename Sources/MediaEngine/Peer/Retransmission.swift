internal import Synchronization

/// When lost packets of video are requested again (NACK, RFC 4585), and how long their gap stays open.
///
/// Packets in order leave the jitter buffer at once, so the wait delays only the frames behind a gap. Up to a round trip of 200 ms seven requests
/// can be answered in that time: then 20 % of loss in each direction leaves fewer than one packet of a thousand missing.
struct RetransmissionTiming: Sendable, Equatable {
    /// How long the gap may stay open, in ms.
    let waitMs: Int
    /// The time between two requests for one packet, in ms.
    ///
    /// Shorter than a round trip, since a request or its answer may be lost, too; each request too many costs one packet.
    let retryMs: Int

    /// How late a packet may be before it is requested, in ms: it may only have been overtaken.
    static let reorderingMs = 5

    /// The timing for a round trip in ms; nil before it is known.
    init(roundTripMs: Double?) {
        // It is computed from the peer's reports, which may hold any number.
        let roundTrip = Int(min(max(roundTripMs ?? 80, 0), 2_000))
        retryMs = max(20, roundTrip / 2 + 10)
        // With a longer round trip at least the first answer has to arrive in time.
        waitMs = max(min(max(5 * roundTrip + 200, 400), 1_000), roundTrip + 200)
    }
}

/// How many packets may be sent again: on a full link, repeating all that is lost would double the traffic that fills it.
///
/// A pure value; times are those of one clock.
struct RetransmissionBudget: Sendable {
    /// The most that retransmissions may add to the packets of video in the long run.
    static let share = 0.5
    /// The same while a queue on the path is full: what is repeated then displaces what is new.
    static let congestedShare = 0.05
    /// How many packets may be repeated at once, after an outage.
    static let burst = 100.0
    /// On a narrow path a packet is repeated only when all that was sent before it has passed after this time.
    static let room = Duration.milliseconds(100)
    /// No backlog counts for longer.
    private static let longest = Duration.milliseconds(250)
    /// The encoder uses what the path takes; so much more is what queues and pauses leave.
    private static let reserve = 1.3

    private var credit = Self.burst
    /// What the path takes, in bit/s; nil: everything.
    var available: Double?
    private var isFreeAt: ContinuousClock.Instant?

    /// A packet was sent for the first time.
    mutating func earn(_ bytes: Int, isCongested: Bool, at now: ContinuousClock.Instant) {
        credit = min(credit + (isCongested ? Self.congestedShare : Self.share), isCongested ? 2 : Self.burst)
        fill(bytes, at: now)
    }

    /// Whether a packet may be sent again.
    mutating func admits(_ bytes: Int, at now: ContinuousClock.Instant) -> Bool {
        guard credit >= 1, backlog(at: now) <= Self.room else { return false }
        credit -= 1
        fill(bytes, at: now)
        return true
    }

    /// How long what was sent needs on the path.
    private func backlog(at now: ContinuousClock.Instant) -> Duration {
        guard available != nil, let isFreeAt else { return .zero }
        return min(max(isFreeAt - now, .zero), Self.longest)
    }

    private mutating func fill(_ bytes: Int, at now: ContinuousClock.Instant) {
        guard let available else { return }
        isFreeAt = now + backlog(at: now) + .seconds(Double(bytes) * 8 / (available * Self.reserve))
    }
}

/// Which requests for a packet are answered on a narrow path.
///
/// A peer asks again before an answer can have arrived, since each may be lost. Where packets are lost at random that is right.
struct AnsweredRequests: Sendable {
    /// How many packets are remembered, the latest ones.
    static let maximum = 1_024
    /// No packet is sent twice within this time; the round trip, once it is known.
    var interval = Duration.milliseconds(40)
    private var answers: [UInt16: ContinuousClock.Instant] = [:]
    private var order: [UInt16] = []

    /// Whether a packet is sent again now.
    mutating func admits(_ number: UInt16, at now: ContinuousClock.Instant) -> Bool {
        if let last = answers[number] {
            guard now - last >= interval else { return false }
        } else {
            order.append(number)
        }
        answers[number] = now
        if order.count > 2 * Self.maximum {
            for number in order.prefix(Self.maximum) { answers[number] = nil }
            order.removeFirst(Self.maximum)
        }
        return true
    }
}

/// The packets that this end sends again (RFC 4588), within their budget.
final class RetransmittedPackets: Sendable {
    private struct State {
        var budget = RetransmissionBudget()
        var answered = AnsweredRequests()
        var media: Int?
        var retransmission: Int?
        var congestion = Congestion()
        var count = 0
        var hasRefused = false
    }
    private let state = Mutex(State())

    /// How many were sent.
    var count: Int { state.withLock { $0.count } }

    /// Sets the payload types of the video and of its retransmissions; nil: nothing is sent again.
    func setPayloadTypes(media: Int, retransmission: Int?) {
        state.withLock { ($0.media, $0.retransmission) = (media, retransmission) }
    }

    /// What the path takes, in bit/s, or nil if it takes everything; and whether a queue on it is full.
    func limit(to available: Double?, isCongested: Bool) {
        state.withLock { state in
            state.budget.available = available
            state.congestion.note(isCongested)
        }
    }

    /// Sets the round trip, in ms.
    func follow(roundTripMs: Double) {
        // It is computed from the peer's reports, which may hold any number.
        let milliseconds = Int(min(max(roundTripMs, 5), 500))
        state.withLock { $0.answered.interval = .milliseconds(milliseconds) }
    }

    /// Whether a packet was not sent again since the last call because the path was full, so that the peer needs a key frame.
    func takeRefusal() -> Bool {
        state.withLock { state in
            defer { state.hasRefused = false }
            return state.hasRefused
        }
    }

    /// Limits what leaves a `rtprtxsend`.
    func limit(_ sender: Element) throws(MediaError) {
        let source = try sender.pad("src")
        source.limitRetransmissionRequests { [self] number in
            state.withLock { state in
                state.budget.available == nil || state.answered.admits(number, at: .now)
            }
        }
        source.probe { [self] buffer in
            let payloadType = buffer.withHead { $0.count >= 2 ? Int($0[1] & 0x7f) : nil }
            return admits(buffer.byteCount + PacketReport.overhead, payloadType, at: .now) ? .pass : .drop
        }
    }

    private func admits(_ bytes: Int, _ payloadType: Int?, at now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            let isCongested = state.congestion.isPresent(at: now)
            if let payloadType, payloadType == state.retransmission {
                guard state.budget.admits(bytes, at: now) else {
                    // On a free path the peer asks again, and there is credit then.
                    state.hasRefused = state.hasRefused || isCongested
                    return false
                }
                state.count += 1
            } else if payloadType == state.media {
                state.budget.earn(bytes, isCongested: isCongested, at: now)
            }
            return true
        }
    }
}
