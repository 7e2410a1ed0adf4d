/// `webrtcbin` forgets a stream whose sender was silent for 5 s, and its statistics lack the stream from then on.
///
/// It drops the stream at rtpbin's `on-sender-timeout`, which also comes when a peer holds the call. It adds a stream at `on-new-ssrc` only, which
/// does not come again when the sender goes on. Media is not affected. So `on-new-ssrc` is emitted once more, right after the timeout; only `webrtcbin`
/// listens to it. No upstream issue; the code is the same in 1.22 to 1.28.
enum ForgottenStream: Workaround {
    static let mendedIn: GStreamerVersion? = nil

    /// Has `webrtcbin` remember the received streams, which `isReceived` knows by their SSRC.
    static func remember(in rtpbin: Element, _ isReceived: @escaping @Sendable (UInt32) -> Bool) {
        // Connected later than webrtcbin's own handler, so called after it.
        rtpbin.watch("on-sender-timeout") { arguments in
            guard let session = arguments.uint(1), let ssrc = arguments.uint(2), isReceived(ssrc) else { return }
            arguments.element(0)?.emit("on-new-ssrc", [.uint(session), .uint(ssrc)])
        }
    }
}
