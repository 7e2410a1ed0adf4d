/// What an `rtpsession` knows about the streams of both ends.
///
/// The statistics of `webrtcbin` are made of the same figures. But they lack streams: those that go on after some seconds of silence, and from 1.26 on all
/// but one of the versions of a video. Up to 1.24 they also make names of each stream, which GLib keeps until the process ends.
struct RtpSessionStatistics: Sendable, Equatable {
    /// A stream.
    struct Source: Sendable, Equatable {
        /// Whether this end sends it.
        var isSent = false
        var packets = 0
        /// Of RTP payload, without headers.
        var bytes = 0
        /// Of a received stream, in s.
        var jitter = 0.0
        /// How many were sent for a received stream, or received for a sent one: FIR, PLI and NACK.
        var firs = 0
        /// See ``firs``.
        var plis = 0
        /// See ``firs``.
        var nacks = 0
    }

    /// By SSRC.
    fileprivate(set) var sources: [UInt32: Source] = [:]
    /// The round trip that the peer's latest report shows, in s; nil before the first one.
    private(set) var roundTrip: Double?

    /// Packets of all streams.
    var packetsSent: Int { sources.values.filter(\.isSent).map(\.packets).reduce(0, +) }
    /// Payload bytes of all streams.
    var bytesSent: Int { sources.values.filter(\.isSent).map(\.bytes).reduce(0, +) }
    /// See ``bytesSent``.
    var bytesReceived: Int { sources.values.filter { !$0.isSent }.map(\.bytes).reduce(0, +) }

    /// Reads the statistics of an `rtpsession`; takes its lock for a moment; nil if it has none.
    init?(_ session: Element) {
        let statistics = session.object("internal-session")?.get("stats")?.fields
        guard let entries = statistics?["source-stats"]?.elements else { return nil }
        self.init(entries.compactMap(\.fields))
    }

    /// Reads `application/x-rtp-source-stats`.
    init(_ entries: [[String: PropertyValue]]) {
        var latest: UInt32?
        for entry in entries {
            guard let ssrc = entry["ssrc"]?.intValue.flatMap({ UInt32(exactly: $0) }) else { continue }
            sources[ssrc] = Source(entry)
            guard entry["have-rb"]?.boolValue == true, entry.count("rb-round-trip") > 0 else { continue }
            // When this end sent the report that the block answers, which begins anew every 18 hours. A stream of the peer that stopped has an old one.
            let sent = UInt32(truncatingIfNeeded: entry.count("rb-lsr"))
            if let latest, Int32(bitPattern: sent &- latest) <= 0 { continue }
            latest = sent
            // Fixed point: 16 bits are the fraction.
            roundTrip = Double(entry.count("rb-round-trip")) / 65_536
        }
    }
}

/// The statistics of an `rtpsession` with streams that it has forgotten.
///
/// It forgets a stream some seconds after its last packet, as during a hold, and counts from 0 when the stream goes on.
struct RtpStreamTotals: Sendable {
    /// A peer may send any number of streams, one after the other; no more than these are kept.
    private static let maximum = 64
    /// What the session counts.
    private var present: [UInt32: RtpSessionStatistics.Source] = [:]
    /// What it counted before it forgot a stream.
    private var forgotten: [UInt32: RtpSessionStatistics.Source] = [:]

    /// Adds what the session has forgotten to what it counts now.
    mutating func complete(_ session: RtpSessionStatistics) -> RtpSessionStatistics {
        for (ssrc, former) in present where session.sources[ssrc].map({ $0.packets < former.packets }) ?? true {
            guard forgotten[ssrc] != nil || forgotten.count < Self.maximum else { continue }
            forgotten[ssrc] = forgotten[ssrc].map { former + $0 } ?? former
        }
        present = session.sources
        var all = session
        for (ssrc, former) in forgotten { all.sources[ssrc] = present[ssrc].map { $0 + former } ?? former }
        return all
    }
}

extension RtpSessionStatistics.Source {
    fileprivate static func + (source: Self, earlier: Self) -> Self {
        Self(
            isSent: source.isSent, packets: source.packets + earlier.packets, bytes: source.bytes + earlier.bytes,
            jitter: source.jitter, firs: source.firs + earlier.firs, plis: source.plis + earlier.plis,
            nacks: source.nacks + earlier.nacks)
    }

    fileprivate init(_ entry: [String: PropertyValue]) {
        isSent = entry["internal"]?.boolValue == true
        let (direction, feedback) = isSent ? ("sent", "recv") : ("received", "sent")
        packets = entry.count("packets-\(direction)")
        bytes = entry.count("octets-\(direction)")
        firs = entry.count("\(feedback)-fir-count")
        plis = entry.count("\(feedback)-pli-count")
        nacks = entry.count("\(feedback)-nack-count")
        let clockRate = entry.count("clock-rate")
        if !isSent, clockRate > 0 { jitter = Double(entry.count("jitter")) / Double(clockRate) }
    }
}

extension [String: PropertyValue] {
    fileprivate func count(_ name: String) -> Int { Swift.max(0, self[name]?.intValue ?? 0) }
}
