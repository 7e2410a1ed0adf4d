internal import CGStreamer

/// The thread on which libnice works for all connections of the process: sockets, timers, connectivity checks.
///
/// Each agent of `webrtcbin`'s own has a thread, and each `nicesrc` another one. Here received packets only go into a queue of their connection.
/// Short work that is due several times a second for each connection runs here, too, since the thread is awake anyway.
final class IceThread: Sendable {
    static let shared = IceThread()

    /// A `GMainContext`, which lives as long as the process.
    // GLib locks it.
    nonisolated(unsafe) let context: OpaquePointer

    private init() {
        context = g_main_context_new()
        g_thread_unref(
            g_thread_new(
                "ice",
                { loop in
                    let loop = OpaquePointer(loop)
                    g_main_context_push_thread_default(g_main_loop_get_context(loop))
                    g_main_loop_run(loop)
                    return nil
                }, UnsafeMutableRawPointer(g_main_loop_new(context, 0))))
    }

    /// Runs `body` on the thread, after what it is doing now; in order.
    func run(_ body: @escaping @Sendable () -> Void) { run(g_idle_source_new(), body) }

    /// Runs `body` on the thread after that time, a day at most.
    func run(after wait: Duration, _ body: @escaping @Sendable () -> Void) {
        let milliseconds = min(max(wait, .zero), .seconds(86_400)) / .milliseconds(1)
        run(g_timeout_source_new(guint(milliseconds.rounded(.up))), body)
    }

    /// Runs `body` on the thread after that time, and again after each time that it returns, until it returns nil.
    func runRepeatedly(after wait: Duration, _ body: @escaping @Sendable () -> Duration?) {
        run(after: wait) { if let next = body() { self.runRepeatedly(after: next, body) } }
    }

    private func run(_ source: UnsafeMutablePointer<GSource>?, _ body: @escaping @Sendable () -> Void) {
        g_source_set_priority(source, G_PRIORITY_DEFAULT)
        g_source_set_callback(
            source,
            { data in
                if let data { Unmanaged<Work>.fromOpaque(data).takeUnretainedValue().body() }
                return 0
            },
            Unmanaged.passRetained(Work(body)).toOpaque(),
            { data in if let data { Unmanaged<Work>.fromOpaque(data).release() } })
        g_source_attach(source, context)
        g_source_unref(source)
    }

    /// Returns when the thread has run `body`.
    func finish(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { done in
            run {
                body()
                done.resume()
            }
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
