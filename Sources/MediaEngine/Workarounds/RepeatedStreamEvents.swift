/// `webrtcbin` describes a stream again, to all elements behind it, whenever a packet of one stream follows a packet of another.
///
/// Audio, video and RTCP of a bundle take turns some 100 times a second, and each turn sends up to five events through a dozen elements. The bundle's
/// `rtpfunnel` repeats the segment, which ``Pad/presentInRunningTime()`` makes the same for all streams, and the priority for DSCP, which the ``IceAgent``
/// does not use (`gst_rtp_funnel_forward_segment` in `gstrtpfunnel.c`, the same in 1.26). The `funnel` behind the encryption repeats all sticky events. The
/// sender of packets needs only the first ones. No upstream issue.
enum RepeatedStreamEvents: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    /// Ends repeated events at the source of the `rtpfunnel` that joins the streams of a bundle.
    static func end(behindBundle funnel: Element) throws(MediaError) { try funnel.pad("src").endNeedlessEvents() }

    /// Keeps a `funnel` from repeating events.
    static func end(in funnel: Element) throws(MediaError) { try funnel.set("forward-sticky-events", "false") }
}
