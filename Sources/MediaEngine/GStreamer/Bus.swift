internal import CGStreamer

private final class BusBox: Sendable {
    let handler: @Sendable (BusMessage) -> Void
    init(_ handler: @escaping @Sendable (BusMessage) -> Void) { self.handler = handler }
}

/// The message bus of one pipeline.
struct Bus: GObject {
    let ref: GObjectRef<GstBus>

    /// Passes every message to `handler` and drops it from the bus: no main loop, no polling, no queue that fills up.
    ///
    /// The handler runs on the posting thread, which may be any thread, even one in a state change: so it yields and returns.
    /// A bus has one handler, until ``unwatch()``.
    func watch(_ handler: @escaping @Sendable (BusMessage) -> Void) {
        gst_bus_set_sync_handler(
            ref.pointer,
            { _, message, data in
                guard let message, let data else { return GST_BUS_PASS }
                if let converted = BusMessage(message) {
                    Unmanaged<BusBox>.fromOpaque(data).takeUnretainedValue().handler(converted)
                }
                gst_message_unref(message)
                return GST_BUS_DROP
            },
            Unmanaged.passRetained(BusBox(handler)).toOpaque(),
            { data in if let data { Unmanaged<BusBox>.fromOpaque(data).release() } })
    }

    /// Releases the handler; later messages stay on the bus and are freed with it.
    func unwatch() { gst_bus_set_sync_handler(ref.pointer, nil, nil, nil) }
}
