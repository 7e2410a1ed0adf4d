/// `rtpsession` corrupts its table of sources when one is added while it makes its first sender report.
///
/// While `rtp_session_on_timeout` walks the table it looks up the clock rate of a source that it does not know yet, and releases the session's lock
/// for that; a packet of a new source of the peer changes the table meanwhile (`g_hash_table_foreach: assertion 'version == hash_table->version'
/// failed`, about one call in a hundred). Upstream: https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/4555 (1.22.3). The workaround
/// sets the clock rate of each source in the session before its first packet, so that no look-up is needed. `rtpfunnel` in front of the session drops
/// these caps.
enum RtcpTableRace: Workaround {
    // Debian 12 has 1.22.0, and a micro version is not worth a second code path.
    static let fixedIn: GStreamerVersion? = GStreamerVersion(1, 22, 3)

    static func announce(_ codec: Codec, payloadType: Int, ssrc: UInt32, to session: Element) throws(MediaError) {
        guard isNeeded else { return }
        try session.pad("send_rtp_sink").sendCaps(
            "application/x-rtp,media=(string)\(codec.kind.rawValue),clock-rate=(int)\(codec.clockRate),"
                + "encoding-name=(string)\(codec.encodingName),payload=(int)\(payloadType),ssrc=(uint)\(ssrc)")
    }
}
