/// What an `rtpsession` knows about the streams of both ends.
///
/// The statistics of `webrtcbin` are made of the same figures. But they lack streams: those that were silent for a while, and from 1.24 on all but one of
/// the versions of a video. They also give each stream names that GLib keeps until the process ends, about 0.5 kB for each call.
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
        var (firs, plis, nacks) = (0, 0, 0)
    }

    /// By SSRC.
    private(set) var sources: [UInt32: Source] = [:]
    /// The round trip that the peer's latest report shows, in s; nil before the first one.
    private(set) var roundTrip: Double?

    /// Payload bytes of all streams.
    var bytesSent: Int { sources.values.filter(\.isSent).map(\.bytes).reduce(0, +) }
    /// See ``bytesSent``.
    var bytesReceived: Int { sources.values.filter { !$0.isSent }.map(\.bytes).reduce(0, +) }

    init() {}

    /// Reads the statistics of an `rtpsession`; takes its lock for a moment.
    init(_ session: Element) {
        let statistics = session.object("internal-session")?.get("stats")?.fields
        self.init((statistics?["source-stats"]?.alternatives ?? []).compactMap(\.fields))
    }

    /// Reads `application/x-rtp-source-stats`.
    init(_ entries: [[String: PropertyValue]]) {
        var latest = -1
        for entry in entries {
            guard let ssrc = entry["ssrc"]?.intValue.flatMap({ UInt32(exactly: $0) }) else { continue }
            let source = Source(entry)
            sources[ssrc] = source
            guard !source.isSent, entry["have-rb"]?.boolValue == true, entry.count("rb-round-trip") > 0 else {
                continue
            }
            // When the peer got the sender report that this block is about: each of its streams repeats its own latest one.
            let reported = entry.count("rb-lsr")
            guard reported > latest else { continue }
            latest = reported
            // Fixed point: 16 bits are the fraction.
            roundTrip = Double(entry.count("rb-round-trip")) / 65_536
        }
    }
}

extension RtpSessionStatistics.Source {
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
