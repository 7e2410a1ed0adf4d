/// Data from the peer without a negotiated data channel ends the transport, and with it the media.
///
/// `webrtcbin` makes the pad for data with every transport, but links it only for an m-line of data (`transport_receive_bin_constructed` in
/// `transportreceivebin.c`). Data that arrives earlier, or without one, is `not-linked`, an error of the source of packets. No upstream issue; it is the same in
/// 1.28. So the data is dropped while the pad is unlinked.
enum UnawaitedData: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    /// Checks each bin that no factory made; the receiving ones have such a pad.
    static func drop(from bin: Element) {
        if let pad = try? bin.pad("data_src") { pad.dropWhileUnlinked() }
    }
}
