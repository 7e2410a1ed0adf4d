internal import Synchronization

/// The packets of the DTLS handshake that this end sent last; says when to send them again (RFC 6347 section 4.2.4).
///
/// OpenSSL repeats a flight after 1 s, and GStreamer does not let anybody change that. On a network that loses packets this was most of the time that a
/// call took to connect. A repeated packet is the same record: a peer that has it already drops it. A pure value, without a clock of its own.
struct DtlsFlight: Sendable {
    /// The time until the first repetition; each further one takes twice as long.
    static let firstWait: Duration = .milliseconds(100)
    /// After that many repetitions OpenSSL's own timer takes over.
    static let maximumRepetitions = 4
    /// The maximum number of packets that are repeated; a flight with an ECDSA certificate has some 8 of 256 bytes.
    static let maximumPackets = 16
    /// The maximum size of a packet that is repeated, in bytes; no network takes larger ones in one piece.
    static let maximumBytes = 2_048

    private var packets: [[UInt8]] = []
    private var repetitions = 0
    private var wait = firstWait
    private var isAnswered = false
    /// The latest record of the peer: its epoch and number (RFC 6347 section 4.1).
    private var latest: UInt64?
    private var isOver = false
    /// When the present flight was sent first, and last.
    private var sending: (first: ContinuousClock.Instant, last: ContinuousClock.Instant)?
    /// The shortest time between a flight and its answer: a round trip, and what the peer needed.
    ///
    /// Of a repeated flight nobody knows which one is answered. It counts only if even the last repetition was sent long before the answer, as on a long path.
    private(set) var roundTrip: Duration?
    /// A shorter round trip is not long.
    private static let longPath = Duration.milliseconds(80)
    /// When ``due(at:)`` has something to send; nil: never.
    private(set) var deadline: ContinuousClock.Instant?

    /// Notes a packet of the handshake that was sent.
    mutating func noteSent(_ packet: [UInt8], at now: ContinuousClock.Instant) {
        guard !isOver, packet.count <= Self.maximumBytes else { return }
        if isAnswered {
            // The peer's answer ended the flight before: this is the next one.
            (packets, repetitions, wait, isAnswered) = ([], 0, Self.firstWait, false)
        }
        guard packets.count < Self.maximumPackets else { return }
        if packets.isEmpty { sending = (now, now) }
        packets.append(packet)
        if repetitions < Self.maximumRepetitions { deadline = now + wait }
    }

    /// Notes a packet of the peer's handshake: it answers the flight, unless it is a repetition.
    mutating func noteReceived(_ packet: [UInt8], at now: ContinuousClock.Instant) {
        guard packet.count >= 13 else { return }
        let record = packet[3..<11].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard latest.map({ record > $0 }) ?? true else { return }
        latest = record
        if !isAnswered, let sending, repetitions == 0 || now - sending.last > Self.longPath {
            roundTrip = min(roundTrip ?? now - sending.first, now - sending.first)
        }
        isAnswered = true
        deadline = nil
    }

    /// Notes media of the peer: its handshake has ended, and with it this end's.
    mutating func end() {
        isOver = true
        packets = []
        deadline = nil
    }

    /// The packets to send again now; empty before the deadline.
    mutating func due(at now: ContinuousClock.Instant) -> [[UInt8]] {
        guard let due = deadline, due <= now else { return [] }
        repetitions += 1
        wait *= 2
        deadline = repetitions < Self.maximumRepetitions ? now + wait : nil
        sending?.last = now
        return packets
    }
}

/// Sends the packets of a DTLS handshake again, on the ``IceThread``, while the peer does not answer.
final class HandshakeRepetition: Sendable {
    private struct State {
        var flight = DtlsFlight()
        var isWaiting = false
        var isOver = false
    }
    private let state = Mutex(State())

    /// Notes a packet that was sent; `send` sends it again when it is time.
    func noteSent(_ packet: [UInt8], _ send: @escaping @Sendable ([UInt8]) -> Void) {
        state.withLock { $0.flight.noteSent(packet, at: .now) }
        wait(send)
    }

    func noteReceived(_ packet: [UInt8]) { state.withLock { $0.flight.noteReceived(packet, at: .now) } }

    /// See ``DtlsFlight/roundTrip``.
    var roundTrip: Duration? { state.withLock { $0.flight.roundTrip } }

    /// Media of the peer has arrived, so the handshake is over.
    func noteReceivedMedia() { state.withLock { $0.flight.end() } }

    /// Sends nothing any more.
    func end() { state.withLock { $0.isOver = true } }

    /// Waits for the flight's deadline, unless somebody does already.
    private func wait(_ send: @escaping @Sendable ([UInt8]) -> Void) {
        let deadline = state.withLock { state -> ContinuousClock.Instant? in
            guard !state.isWaiting, !state.isOver, let deadline = state.flight.deadline else { return nil }
            state.isWaiting = true
            return deadline
        }
        guard let deadline else { return }
        IceThread.shared.run(after: deadline - .now) { [weak self] in
            guard let self else { return }
            let packets = state.withLock { state in
                state.isWaiting = false
                return state.isOver ? [] : state.flight.due(at: .now)
            }
            for packet in packets { send(packet) }
            wait(send)
        }
    }
}
