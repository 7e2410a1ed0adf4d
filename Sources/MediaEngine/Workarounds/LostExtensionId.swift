/// `rtpfunnel` may never tell the session which header extension numbers the packets (``TransportFeedback``).
///
/// It announces the extension with the next packet (`send_sticky_events`). When the caps of the video arrive while it announces the first packet of the
/// audio, it forgets that (`gst_rtp_funnel_send_sticky`, about one call in five hundred). `rtpsession` then numbers nothing, and the peer reports
/// nothing. No upstream issue; the code is the same in 1.22 to 1.28. The workaround tells the session itself.
enum LostExtensionId: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    /// Announces the id to `session` before the first packet.
    static func announce(_ id: Int, to session: Element) throws(MediaError) {
        try session.pad("send_rtp_sink").sendCaps(
            "application/x-rtp,extmap-\(id)=(string)\(TransportFeedback.extensionURI)")
    }
}
