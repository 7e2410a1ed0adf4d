/// The statistics of `webrtcbin` hold one stream of each pad that sends, so they lack the smaller versions of a simulcast.
///
/// It is the stream whose SSRC is in the caps of the pad; see `webrtc_stats_get_from_transport_for_one_ssrc` in `gstwebrtcstats.c` of 1.26. 1.22 lists
/// all streams that `rtpbin` has. The missing ones are read from the `rtpsession`. No upstream issue.
enum OmittedStreams: Workaround {
    /// Nobody has looked at 1.24: where nothing is missing, nothing is added.
    static let brokenIn: GStreamerVersion? = GStreamerVersion(1, 24)
    static let fixedIn: GStreamerVersion? = nil

    /// The names of a sent stream's statistics in the `RTPSource` of a session, and those of `webrtcbin`.
    private static let names = [
        "packets-sent": "packets-sent", "octets-sent": "bytes-sent", "recv-fir-count": "fir-count",
        "recv-pli-count": "pli-count", "recv-nack-count": "nack-count",
    ]

    /// Adds those of the sent streams `ssrcs` that the reply of `get-stats` lacks.
    static func add(_ ssrcs: [UInt32], from session: Element, to reply: inout [String: PropertyValue]) {
        guard let internalSession = session.object("internal-session") else { return }
        for ssrc in ssrcs {
            let id = "rtp-outbound-stream-stats_\(ssrc)"
            guard reply[id] == nil,
                let source = internalSession.object(of: "get-source-by-ssrc", [.uint(ssrc)]),
                let statistics = source.get("stats")?.fields
            else { continue }
            var fields: [String: PropertyValue] = ["ssrc": .uint(UInt64(ssrc))]
            for (name, standard) in names { fields[standard] = statistics[name] }
            reply[id] = .structure(name: id, fields)
        }
    }
}
