/// What a peer connection does with one kind of its own media.
///
/// RTCP continues in all modes, so the peer never mistakes a muted or held end for a lost one.
public enum SendMode: String, Sendable, CaseIterable {
    /// Nothing is sent, and the capture is released: its device closes when nothing else needs it.
    case off
    /// Nothing is sent; capture and encoder stay ready.
    case closed
    /// Black frames or silence are sent in place of the captured media, at the same rate; the device stays open.
    case blank
    /// The captured media is sent.
    case live
}
