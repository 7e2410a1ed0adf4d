internal import Synchronization

/// The jitter buffers of a connection: they request lost video again, and show how long packets wait and how many are lost, by SSRC.
///
/// `rtpjitterbuffer` does not report the waiting time. `webrtcbin` 1.22 reports no losses, or those of another stream: in a bundle it
/// uses the latest jitter buffer for each stream whose m-line it knows (`jitter_buffer_set_retransmission`). For the same reason `webrtcbin` has
/// audio requested again, too, once video is.
final class JitterBuffers: Sendable {
    /// The totals of one stream since its start.
    struct Total: Sendable {
        var packets = 0
        var seconds = 0.0
        /// Packets that were waited for in vain.
        var lost = 0
        /// Packets that arrived after the wait for them was over.
        var late = 0
        /// Lost packets that arrived when they were requested again.
        var repaired = 0
    }

    private struct Stream: Sendable {
        let ssrc: UInt32
        let jitterBuffer: Element
        let waits: PacketWaits
        /// False before the first packet has left.
        var isVideo = false
    }

    private struct State {
        var streams: [Stream] = []
        /// Nil while the peer is not known to answer requests.
        var timing: RetransmissionTiming?
        /// Those of the videos.
        var payloadTypes: Set<Int> = []
        var isHurried = false
    }

    /// The maximum number of tracked streams, the latest ones: a peer may send any number.
    private static let maximumStreams = 64
    /// The longest gap of the video whose packets are waited for, in ms.
    ///
    /// A longer one is an outage: what was lost is too much to be sent again, and a key frame is on its way.
    private static let longestGapMs = 500
    /// How long a packet is waited for while the buffers are hurried, in ms: packets that overtake each other keep their order.
    private static let hurriedMs = 60
    /// How long a packet is waited for that is not requested again, in ms.
    private let waitMs: Int
    private let state = Mutex(State())

    init(waitMs: Int) { self.waitMs = waitMs }

    /// The number of tracked streams.
    var streams: Int { state.withLock { $0.streams.count } }

    func total(of ssrc: UInt32) -> Total {
        guard let stream = state.withLock({ $0.streams.last { $0.ssrc == ssrc } }) else { return Total() }
        let (waits, figures) = (stream.waits.total, stream.jitterBuffer.get("stats")?.fields)
        return Total(
            packets: waits.packets, seconds: waits.seconds, lost: figures?["num-lost"]?.intValue ?? 0,
            late: figures?["num-late"]?.intValue ?? 0, repaired: figures?["rtx-success-count"]?.intValue ?? 0)
    }

    // MARK: Retransmission

    /// How often a packet was requested again.
    var requests: Int {
        videoStreams.map { $0.jitterBuffer.get("stats")?.fields?["rtx-count"]?.intValue ?? 0 }.reduce(0, +)
    }

    /// Requests lost packets of the videos with these payload types from now on, if the peer answers such requests.
    func retransmit(_ payloadTypes: Set<Int>, isPossible: Bool) {
        state.withLock { state in
            state.payloadTypes = payloadTypes
            state.timing = isPossible ? RetransmissionTiming(roundTripMs: nil) : nil
        }
    }

    /// Adapts the timing of the requests to the round trip, in ms.
    func follow(roundTripMs: Double) {
        let timing = RetransmissionTiming(roundTripMs: roundTripMs)
        let isNew = state.withLock { state in
            guard state.timing != nil, state.timing != timing else { return false }
            state.timing = timing
            return true
        }
        guard isNew else { return }
        for stream in videoStreams { set(timing, in: stream.jitterBuffer) }
    }

    /// Whether lost video is hardly waited for.
    ///
    /// After an outage most of what is missing does not come again, and a key frame is there already. Without this it would wait until
    /// each packet before it is given up.
    func hurry(_ isHurried: Bool) {
        let timing = state.withLock { state in
            state.isHurried = isHurried
            return state.timing
        }
        for stream in videoStreams { set(timing, in: stream.jitterBuffer) }
    }

    private var videoStreams: [Stream] { state.withLock { $0.streams.filter(\.isVideo) } }

    /// Nil: nothing is requested again.
    private func set(_ timing: RetransmissionTiming?, in jitterBuffer: Element) {
        do throws(MediaError) {
            try jitterBuffer.set("rtx-delay", String(RetransmissionTiming.reorderingMs))
            try jitterBuffer.set("rtx-retry-timeout", String(timing?.retryMs ?? -1))
            try jitterBuffer.set("do-retransmission", timing == nil ? "false" : "true")
            let isHurried = state.withLock { $0.isHurried }
            try jitterBuffer.set("latency", String(isHurried ? Self.hurriedMs : timing?.waitMs ?? waitMs))
            if timing != nil { try jitterBuffer.set("max-dropout-time", String(Self.longestGapMs)) }
        } catch {
            // Every release since 1.22 has these properties; without them losses stay as they are.
        }
    }

    // MARK: New streams

    /// Follows a new `rtpjitterbuffer` and measures the time between the entry of a packet and its exit.
    func add(_ jitterBuffer: Element) throws(MediaError) {
        let waits = PacketWaits()
        let (sink, source) = (try jitterBuffer.pad("sink"), try jitterBuffer.pad("src"))
        // Otherwise it requests what was not sent yet whenever a packet is late. It must not begin to: what it waits for when
        // requests end is never taken off, not even by its arrival, and is counted as lost (`gst_rtp_jitter_buffer_chain`).
        try jitterBuffer.set("rtx-next-seqnum", "false")
        // Its pads own the probes, so the probes must not own it: they hold only the waits.
        sink.onFirstBuffer { [weak self] element in
            guard let caps = (try? element.pad("sink"))?.caps?.fields,
                let ssrc = caps["ssrc"]?.intValue.flatMap({ UInt32(exactly: $0) })
            else { return }
            self?.state.withLock { state in
                state.streams.append(Stream(ssrc: ssrc, jitterBuffer: element, waits: waits))
                if state.streams.count > Self.maximumStreams { state.streams.removeFirst() }
            }
        }
        source.probeHead { [weak self] bytes in
            self?.tune(firstPacket: bytes)
            return .passAndRemove
        }
        sink.probeHead { bytes in
            if let number = Self.sequenceNumber(bytes) { waits.begin(number) }
            return .pass
        }
        source.probeHead { bytes in
            if let number = Self.sequenceNumber(bytes) { waits.end(number) }
            return .pass
        }
    }

    /// The first packet of a stream leaves its jitter buffer.
    ///
    /// Only its payload type says what it is: the caps do so behind the demultiplexer.
    private func tune(firstPacket bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 12 else { return }
        let ssrc = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        let payloadType = Int(bytes[1] & 0x7f)
        let (stream, timing) = state.withLock { state -> (Stream?, RetransmissionTiming?) in
            guard let index = state.streams.lastIndex(where: { $0.ssrc == ssrc }) else { return (nil, nil) }
            state.streams[index].isVideo = state.payloadTypes.contains(payloadType)
            return (state.streams[index], state.streams[index].isVideo ? state.timing : nil)
        }
        if let stream { set(timing, in: stream.jitterBuffer) }
    }

    /// The sequence number of an RTP packet (RFC 3550 section 5.1).
    private static func sequenceNumber(_ bytes: UnsafeRawBufferPointer) -> UInt16? {
        guard bytes.count >= 4 else { return nil }
        return UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
}

/// Measures how long the packets of one stream were in its jitter buffer.
final class PacketWaits: Sendable {
    /// More packets than any jitter buffer holds.
    private static let size = 4_096

    private struct State {
        /// In ns; 0 for a packet that is not in the buffer.
        var arrivals = [Int64](repeating: 0, count: size)
        var packets = 0
        var nanoseconds: Int64 = 0
    }
    private let state = Mutex(State())

    /// The totals of all packets that have left the buffer.
    var total: (packets: Int, seconds: Double) {
        state.withLock { ($0.packets, Double($0.nanoseconds) / 1e9) }
    }

    func begin(_ sequenceNumber: UInt16) {
        let now = ClockReading.now.nanoseconds
        state.withLock { $0.arrivals[Int(sequenceNumber) % Self.size] = now }
    }

    func end(_ sequenceNumber: UInt16) {
        let now = ClockReading.now.nanoseconds
        state.withLock { state in
            let place = Int(sequenceNumber) % Self.size
            guard state.arrivals[place] != 0 else { return }
            state.packets += 1
            state.nanoseconds += now - state.arrivals[place]
            state.arrivals[place] = 0
        }
    }
}
