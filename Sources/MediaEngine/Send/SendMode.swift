/// What a peer connection does with one kind of its own media.
///
/// RTCP goes on in all modes, so the peer never takes a muted or held end for a lost one.
public enum SendMode: String, Sendable, CaseIterable {
    /// Nothing is sent, and the capture is let go of: its device closes when nobody else needs it.
    case off
    /// Nothing is sent; capture and encoder stay warm.
    case closed
    /// Black pictures or silence are sent in place of the captured ones, at the same rate; the device stays open.
    case blank
    /// What is captured is sent.
    case live
}
