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

    /// What is assumed of the round trip before it is known, in ms.
    static let assumedRoundTripMs = 80.0

    /// The timing for a round trip in ms; nil before it is known.
    init(roundTripMs: Double?) {
        // It is computed from the peer's reports, which may hold any number.
        let roundTrip = Int(min(max(roundTripMs ?? Self.assumedRoundTripMs, 0), 2_000))
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
    /// The video may use all of its rate; so much more is left for what is repeated.
    private static let reserve = 1.3
    /// About the size of a repeated packet, in bytes.
    private static let packetBytes = 1_250

    private var credit = Self.burst
    /// What may be sent now, in bit/s; nil: anything.
    var rate: Double?
    private var isFreeAt: ClockReading?

    /// A packet was sent for the first time.
    mutating func earn(_ bytes: Int, isCongested: Bool, at now: ClockReading) {
        credit = min(credit + (isCongested ? Self.congestedShare : Self.share), isCongested ? 2 : Self.burst)
        fill(bytes, at: now)
    }

    /// Whether a packet may be sent again.
    mutating func admits(at now: ClockReading) -> Bool {
        guard hasRoom(at: now) else { return false }
        credit -= 1
        fill(Self.packetBytes, at: now)
        return true
    }

    func hasRoom(at now: ClockReading) -> Bool { credit >= 1 && backlog(at: now) <= Self.room }

    /// How long what was sent needs on the path.
    private func backlog(at now: ClockReading) -> Duration {
        guard rate != nil, let isFreeAt else { return .zero }
        return min(max(isFreeAt - now, .zero), Self.longest)
    }

    private mutating func fill(_ bytes: Int, at now: ClockReading) {
        guard let rate else { return }
        let duration = Duration.seconds(Double(bytes) * 8 / (rate * Self.reserve))
        // The rate may be higher soon.
        isFreeAt = now + min(backlog(at: now) + duration, Self.longest)
    }
}

/// Which requests for a packet are answered on a narrow path.
///
/// A peer asks again before an answer can have arrived, since each may be lost. So elsewhere each request is answered.
struct AnsweredRequests: Sendable {
    /// So many packets are remembered, the latest ones, and up to twice as many.
    static let maximum = 1_024
    /// No packet is sent twice within this time; the round trip, once it is known.
    var interval = Duration.milliseconds(40)
    private struct Packet: Hashable {
        let number: UInt16
        let ssrc: UInt32
    }
    private var answers: [Packet: ClockReading] = [:]
    private var order: [Packet] = []

    var count: Int { answers.count }

    /// Whether a packet of a stream is sent again now.
    mutating func admits(_ number: UInt16, of ssrc: UInt32, at now: ClockReading) -> Bool {
        let packet = Packet(number: number, ssrc: ssrc)
        if let last = answers[packet] {
            guard now - last >= interval else { return false }
        } else {
            order.append(packet)
        }
        answers[packet] = now
        if order.count > 2 * Self.maximum {
            for packet in order.prefix(Self.maximum) { answers[packet] = nil }
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
        /// The payload types of the videos and of what is sent again.
        var media: Set<Int> = []
        var retransmission: Set<Int> = []
        var congestion = Congestion()
        /// By SSRC, from the first packet on: one for each video, or one for each version of a simulcast.
        var bytes: [UInt32: Int] = [:]
        var count = 0
        var hasRefused = false
        var latest: [Sent] = []
        /// How many of those that were sent again were a probe.
        var probed = 0
    }

    /// A packet that was sent for the first time.
    struct Sent: Sendable {
        let number: UInt16
        let ssrc: UInt32
        /// Its size on the network.
        let bytes: Int
    }

    /// So many of the latest packets are remembered.
    private static let remembered = 16
    private let state = Mutex(State())

    /// How many were sent because the peer missed them.
    var count: Int { state.withLock { max($0.count - $0.probed, 0) } }

    /// The payload type of what is sent again; nil: nothing is.
    var payloadType: Int? { state.withLock { $0.retransmission.min() } }

    /// How many bytes of the video were sent for the first time, by SSRC.
    var bytes: [UInt32: Int] { state.withLock(\.bytes) }

    /// Notes that the peer did not request the next one: it is a probe of the path, or of the element.
    func noteProbe() { state.withLock { $0.probed += 1 } }

    /// The latest packets of the video, which can be sent again; none when the peer takes none.
    var latest: [Sent] { state.withLock { $0.retransmission.isEmpty ? [] : $0.latest } }

    /// Sets the payload types of the videos and of their retransmissions; without the latter nothing is sent again.
    func setPayloadTypes(media: Set<Int>, retransmission: Set<Int>) {
        state.withLock { ($0.media, $0.retransmission) = (media, retransmission) }
    }

    /// What may be sent now, in bit/s, or nil for anything; and whether a queue on the path is full.
    func limit(to rate: Double?, isCongested: Bool) {
        state.withLock { state in
            state.budget.rate = rate
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

    /// Limits the requests that reach a `rtprtxsend`.
    func limit(_ sender: Element) throws(MediaError) {
        let source = try sender.pad("src")
        source.limitRetransmissionRequests { [self] in answers($0, $1, at: .now) }
        source.probe { [self] buffer in
            let head = buffer.withHead(RtpHead.init)
            if let head { note(head, buffer.byteCount + PacketReport.overhead, at: .now) }
            return .pass
        }
    }

    /// Whether a request is answered; one for another stream is not ours to judge.
    private func answers(_ number: UInt16, _ ssrc: UInt32, at now: ClockReading) -> Bool {
        state.withLock { state in
            guard state.bytes[ssrc] != nil else { return true }
            guard state.budget.hasRoom(at: now) else {
                // On a path that is not full the peer asks again, and there is room then.
                state.hasRefused = state.hasRefused || state.congestion.isPresent(at: now)
                return false
            }
            if state.budget.rate != nil, !state.answered.admits(number, of: ssrc, at: now) { return false }
            return state.budget.admits(at: now)
        }
    }

    /// Counts a packet that leaves.
    private func note(_ head: RtpHead, _ bytes: Int, at now: ClockReading) {
        state.withLock { state in
            if state.retransmission.contains(head.payloadType) {
                state.count += 1
            } else if state.media.contains(head.payloadType) {
                state.bytes[head.ssrc, default: 0] += bytes
                if state.latest.count == Self.remembered { state.latest.removeFirst() }
                state.latest.append(Sent(number: head.number, ssrc: head.ssrc, bytes: bytes))
                state.budget.earn(bytes, isCongested: state.congestion.isPresent(at: now), at: now)
            }
        }
    }
}
