/// `webrtcbin` 1.22 cannot handle a peer's refusal of data channels, because it mishandles port 0.
///
/// So the m-line stays in its description, and `sctpenc` would start an association with a peer that has none. In another `webrtcbin`, such
/// unexpected packets end the transport. So the output of `sctpenc` is dropped.
enum UnrefusedDataChannel: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    static func silence(in webrtc: Element) {
        guard let pad = try? webrtc.child(madeBy: "sctpenc")?.pad("src") else { return }
        pad.probe { _ in .drop }
    }
}
