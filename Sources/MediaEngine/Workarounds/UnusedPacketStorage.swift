/// `webrtcbin` keeps every received packet for a while, for a decoder of ULPFEC (RFC 5109) that nobody agreed on.
///
/// That costs more than memory: a packet that is kept cannot be changed in place, so the elements behind copy it. This engine never offers or accepts
/// FEC, so nothing is kept. webrtcbin sets the time with the latency of the jitter buffer (`on_rtpbin_new_storage` in `gstwebrtcbin.c`); no upstream issue.
enum UnusedPacketStorage: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    /// Keeps an `rtpstorage` empty.
    static func disable(_ storage: Element) throws(MediaError) {
        storage.watch("notify::size-time") { arguments in
            // Setting it notifies again.
            guard let storage = arguments.element(0), storage.get("size-time")?.intValue != 0 else { return }
            try? storage.set("size-time", "0")
        }
        try storage.set("size-time", "0")
    }
}
