/// Data that a peer sends though no data channel was negotiated ends the transport, and with it the media.
///
/// `webrtcbin` makes the pad for data with every transport, and links it with the m-line of data only (`transport_receive_bin_constructed` in
/// `transportreceivebin.c`); what comes before or without one is `not-linked`, an error of `nicesrc`. No upstream issue; it is so in 1.28, too. So it is
/// dropped for as long as nobody takes it.
enum UnawaitedData: Workaround {
    static let mendedIn: GStreamerVersion? = nil

    /// Looks at each bin that no factory made, of which those that receive have such a pad.
    static func drop(from bin: Element) {
        if let pad = try? bin.pad("data_src") { pad.dropWhileUnlinked() }
    }
}
