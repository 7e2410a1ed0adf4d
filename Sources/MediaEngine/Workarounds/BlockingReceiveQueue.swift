/// The queue of received packets blocks when it is full.
///
/// `webrtcbin` makes it leaky while it holds packets back, and no longer once it passes them (`transport_receive_bin_set_receive_state` in
/// `transportreceivebin.c`, the same in 1.28). Its pusher is the ``IceThread``, which serves all connections: one whose decryption hangs or is held back
/// would stop the media of all. So the queue stays leaky: when its 5 MB are full, the oldest packets are lost.
enum BlockingReceiveQueue: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    static func keepLeaky(_ queue: Element) {
        queue.watch("notify::leaky") { arguments in
            // Setting it notifies again.
            guard let queue = arguments.element(0), queue.get("leaky")?.intValue == 0 else { return }
            try? queue.set("leaky", "downstream")
        }
    }
}
