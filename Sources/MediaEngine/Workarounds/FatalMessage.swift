/// A message that a data channel does not understand ends the transport, and with it the media.
///
/// For a payload of unknown type or a malformed control message its `appsink` returns an error (`on_sink_sample` in `webrtcdatachannel.c`), which
/// `sctpdec` passes on to the source of packets. No upstream issue; it is the same in 1.28. So a bad message affects only its channel, which closes.
enum FatalMessage: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    static func contain(_ decoder: Element) {
        decoder.watch("pad-added") { arguments in arguments.pad(1)?.containErrors() }
    }
}
