internal import CGStreamer

/// Calls a closure on the ``IceThread`` whenever a socket has something to read.
///
/// It stands for a read source of libdispatch, which crashes on Linux when sources come and go on several threads
/// (https://github.com/swiftlang/swift-corelibs-libdispatch/issues/949).
final class SocketWatch: Sendable {
    // GLib locks a source.
    nonisolated(unsafe) private let source: UnsafeMutablePointer<GSource>

    /// Owns the socket from now on, which must not block; `read` is called again while something is left.
    init(_ socket: Int32, read: @escaping @Sendable () -> Void) {
        source = g_unix_fd_source_new(socket, G_IO_IN)
        let reading: @convention(c) (gint, GIOCondition, gpointer?) -> gboolean = { _, _, data in
            if let data { Unmanaged<Reader>.fromOpaque(data).takeUnretainedValue().read() }
            return 1
        }
        g_source_set_callback(
            source, unsafeBitCast(reading, to: GSourceFunc.self),
            Unmanaged.passRetained(Reader(socket, read)).toOpaque(),
            { data in if let data { Unmanaged<Reader>.fromOpaque(data).release() } })
        g_source_attach(source, IceThread.shared.context)
    }

    deinit {
        cancel()
        g_source_unref(source)
    }

    /// No further call begins, and the socket closes when a running one has ended; idempotent.
    func cancel() { g_source_destroy(source) }

    private final class Reader: Sendable {
        let read: @Sendable () -> Void
        private let socket: Int32

        init(_ socket: Int32, _ read: @escaping @Sendable () -> Void) { (self.socket, self.read) = (socket, read) }

        deinit { close(socket) }
    }
}
