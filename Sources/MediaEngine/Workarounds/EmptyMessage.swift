/// An empty message ends its data channel.
///
/// SCTP has no empty message, so one is sent as a zero byte that is marked as empty (RFC 8831 section 6.6). `webrtcbin` 1.22 omits the byte,
/// `usrsctp` refuses the message, and the channel closes; since 1.22.3 even closing fails. No upstream issue; the code is the same in 1.28. So the
/// workaround adds the byte to an empty message on its way into `sctpenc`.
enum EmptyMessage: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    static func apply(to encoder: Element) {
        encoder.watch("pad-added") { arguments in
            guard let pad = arguments.pad(1), !pad.isSource else { return }
            pad.fillEmptyBuffers()
        }
    }
}
