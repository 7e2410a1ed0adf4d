extension PeerStatistics.Transport {
    /// Reads the reply of webrtcbin's `get-stats`.
    ///
    /// Entries are identified by their ids: 1.22 gives all streams of a bundle the same kind. The candidates are not webrtcbin's: 1.22 swaps those of
    /// the two ends (https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/4957), and later releases ask libnice's own transport for them.
    init(webrtcbin reply: [String: PropertyValue]) {
        self.init()
        for (id, entry) in reply {
            guard let fields = entry.fields else { continue }
            if id.hasPrefix("rtp-inbound-stream-stats") {
                bytesReceived += fields["bytes-received"]?.intValue ?? 0
            } else if id.hasPrefix("rtp-outbound-stream-stats") {
                bytesSent += fields["bytes-sent"]?.intValue ?? 0
            } else if id.hasPrefix("rtp-remote-inbound-stream-stats") {
                if let seconds = fields["round-trip-time"]?.doubleValue, seconds > 0 { roundTripMs = seconds * 1_000 }
            }
        }
    }
}
