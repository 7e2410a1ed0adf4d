internal import Synchronization

/// `webrtcbin` forgets a stream whose sender was silent for 5 s, and its statistics lack the stream from then on.
///
/// It drops the stream at rtpbin's `on-sender-timeout`, which also comes when a call is held. It adds a stream at `on-new-ssrc` and
/// `on-new-sender-ssrc` only, which do not come again when the sender goes on. Media is not affected. So the signal is emitted once more, right after
/// the timeout; only `webrtcbin` listens to it. No upstream issue; the code is the same in 1.22 to 1.28.
final class ForgottenStream: Workaround, Sendable {
    static let fixedIn: GStreamerVersion? = nil

    private let sent = Mutex<Set<UInt32>>([])

    /// Notes the SSRC of a stream that this end sends.
    func noteSent(_ ssrc: UInt32) { _ = sent.withLock { $0.insert(ssrc) } }

    /// Has `webrtcbin` remember the sent streams, and the received ones, which `isReceived` knows by their SSRC.
    func remember(in rtpbin: Element, _ isReceived: @escaping @Sendable (UInt32) -> Bool) {
        // Connected later than webrtcbin's own handler, so called after it.
        rtpbin.watch("on-sender-timeout") { [self] arguments in
            guard let session = arguments.uint(1), let ssrc = arguments.uint(2) else { return }
            let isSent = sent.withLock { $0.contains(ssrc) }
            guard isSent || isReceived(ssrc) else { return }
            let signal = isSent ? "on-new-sender-ssrc" : "on-new-ssrc"
            arguments.element(0)?.emit(signal, [.uint(session), .uint(ssrc)])
        }
    }
}
