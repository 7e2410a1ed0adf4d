/// A peer's refusal of data channels cannot be told to `webrtcbin` 1.22, which stumbles over port 0.
///
/// So the m-line stays in its description, and `sctpenc` would begin an association with a peer that has none: in another `webrtcbin`, packets that nobody
/// waits for end the transport. What it sends is dropped.
enum UnrefusedDataChannel: Workaround {
    static let mendedIn: GStreamerVersion? = nil

    static func silence(in webrtc: Element) {
        guard let pad = try? webrtc.child(madeBy: "sctpenc")?.pad("src") else { return }
        pad.probe { _ in .drop }
    }
}
