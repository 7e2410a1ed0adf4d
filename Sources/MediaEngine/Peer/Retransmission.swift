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
struct RetransmissionBudget: Sendable, Equatable {
    /// The most that retransmissions may add to the packets of video in the long run.
    static let share = 0.5
    /// The same while a queue on the path is full: what is repeated then displaces what is new.
    static let congestedShare = 0.05
    /// How many packets may be repeated at once, after an outage.
    static let burst = 100.0

    private var credit = Self.burst

    /// A packet was sent for the first time.
    mutating func earn(isCongested: Bool) {
        credit = min(credit + (isCongested ? Self.congestedShare : Self.share), isCongested ? 2 : Self.burst)
    }

    /// Whether a packet may be sent again.
    mutating func admits() -> Bool {
        guard credit >= 1 else { return false }
        credit -= 1
        return true
    }
}

/// The packets that this end sends again (RFC 4588), within their budget.
final class RetransmittedPackets: Sendable {
    private struct State {
        var budget = RetransmissionBudget()
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

    /// Whether a queue on the path is full.
    func setCongested(_ isCongested: Bool) { state.withLock { $0.congestion.note(isCongested) } }

    /// Whether a packet was not sent again since the last call, so that the peer needs a key frame.
    func takeRefusal() -> Bool {
        state.withLock { state in
            defer { state.hasRefused = false }
            return state.hasRefused
        }
    }

    /// Limits what leaves a `rtprtxsend`.
    func limit(_ sender: Element) throws(MediaError) {
        try sender.pad("src").probeHead { [self] bytes in
            guard bytes.count >= 2 else { return .pass }
            let payloadType = Int(bytes[1] & 0x7f)
            return state.withLock { state in
                if payloadType == state.media { state.budget.earn(isCongested: state.congestion.isPresent()) }
                guard payloadType == state.retransmission else { return .pass }
                guard state.budget.admits() else {
                    state.hasRefused = true
                    return .drop
                }
                state.count += 1
                return .pass
            }
        }
    }
}
