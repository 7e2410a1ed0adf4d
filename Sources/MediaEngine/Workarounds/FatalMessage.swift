/// A message that a data channel does not understand ends the transport, and with it the media.
///
/// For a payload of unknown kind or a malformed control message its `appsink` returns an error (`on_sink_sample` in `webrtcdatachannel.c`), which `sctpdec` hands
/// on to `nicesrc`. No upstream issue; it is so in 1.28, too. So what becomes of a message is the channel's business, which closes for it.
enum FatalMessage: Workaround {
    static let mendedIn: GStreamerVersion? = nil

    static func contain(_ decoder: Element) {
        decoder.watch("pad-added") { arguments in arguments.pad(1)?.containErrors() }
    }
}
