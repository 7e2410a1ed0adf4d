internal import Synchronization

/// Each SCTP stream that a peer uses, out of 65535, costs two threads, even without a channel on it.
///
/// `sctpdec` and `webrtcbin` set no limit (`get_pad_for_stream_id` in `gstsctpdec.c`; no upstream issue), and a process that gets no more threads
/// aborts. If a peer uses more than twice its permitted channels, its data is ignored from then on.
enum UnboundedStreams: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    /// The most streams at a time; one packet may add several more.
    static let maximum = 2 * PeerConnection.maximumDataChannels

    static func limit(_ decoder: Element, onExcess: @escaping @Sendable () -> Void) {
        let streams = Mutex((count: 0, areTooMany: false))
        decoder.watch("pad-added") { arguments in
            let isFirstExcess = streams.withLock { streams in
                streams.count += 1
                defer { streams.areTooMany = streams.areTooMany || streams.count > maximum }
                return streams.count > maximum && !streams.areTooMany
            }
            guard isFirstExcess else { return }
            _ = try? arguments.element(0)?.pad("sink").probe { _ in .drop }
            onExcess()
        }
        decoder.watch("pad-removed") { _ in streams.withLock { $0.count -= 1 } }
    }
}
