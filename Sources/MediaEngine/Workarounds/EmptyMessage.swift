/// An empty message ends its data channel.
///
/// SCTP knows no empty message, so one is sent as a zero byte that is marked as nothing (RFC 8831 section 6.6). `webrtcbin` 1.22 forgets the byte, `usrsctp` refuses,
/// and the channel closes; since 1.22.3 it does not even get past closing. No upstream issue; the code is the same in 1.28. So what is empty gets its byte on the way into `sctpenc`.
enum EmptyMessage: Workaround {
    static let mendedIn: GStreamerVersion? = nil

    static func mend(_ encoder: Element) {
        encoder.watch("pad-added") { arguments in
            guard let pad = arguments.pad(1), !pad.isSource else { return }
            pad.fillEmptyBuffers()
        }
    }
}
