internal import Synchronization

/// A sink pad that takes the packets of one stream of the peer, and of another one when that begins.
///
/// The streams push on threads of their own, and several may begin at once. Their packets come from one source, which an error would stop. So a push
/// without a link, or after a failure behind the pad, is no error.
final class ReplaceableInput: Sendable {
    let pad: Pad
    private let linking = Mutex(())

    init(_ pad: Pad) { self.pad = pad }

    /// Links `source` in the place of the present one, whose data is dropped from now on.
    func link(_ source: Pad) throws(MediaError) {
        source.pushWhilePossible()
        try linking.withLock { _ throws(MediaError) in
            pad.unlinkFromPeer()
            try source.link(to: pad)
        }
    }
}
