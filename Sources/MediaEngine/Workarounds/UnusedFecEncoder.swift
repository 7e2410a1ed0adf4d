/// `webrtcbin` sends all media through encoders of ULPFEC (RFC 5109) and RED (RFC 2198), even where nobody agreed on these.
///
/// The two take a list of packets apart, as a payloader makes it of each frame, and parse each packet. All elements behind them then run once for each
/// packet instead of once for each frame. This engine never offers or accepts either, so the bin with the two goes. See `_build_fec_encoder` in
/// `gstwebrtcbin.c`; no upstream issue.
enum UnusedFecEncoder: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    /// Removes `bin`, which holds the encoders, from webrtcbin once it is linked on both sides, and links its neighbours.
    ///
    /// webrtcbin links the sink first, and both before any data. A release that does it in another way keeps its encoders. `onError` runs at most once, on
    /// the thread that links.
    static func bypass(_ bin: Element, onError: @escaping @Sendable (MediaError) -> Void) throws(MediaError) {
        try bin.pad("src").watch("linked") { arguments in
            guard let bin = arguments.pad(0)?.element, let next = arguments.pad(1), let webrtc = bin.parent,
                let sink = try? bin.pad("sink"), let previous = sink.peer
            else { return }
            sink.unlinkFromPeer()
            next.unlinkFromPeer()
            webrtc.remove(bin)
            do throws(MediaError) { try previous.link(to: next) } catch { onError(error) }
        }
    }
}
