internal import CGStreamer
internal import Synchronization

/// The pending replies of an element.
///
/// A stopped element drops its queue, and GStreamer warns about each promise that is freed unanswered. So the code that stops an element lets its
/// promises expire.
final class PendingReplies: Sendable {
    private struct State {
        /// The addresses of promises, each referenced once.
        var promises: Set<UInt> = []
        var isOver = false
    }
    private let state = Mutex(State())

    /// Passes `promise` to the element by `start`, and keeps it until it is answered; after ``expire()`` it expires at once.
    ///
    /// Under the lock: an element that is stopped answers in `start`, and an answer to a promise that has expired is a critical warning.
    func begin(
        _ promise: UnsafeMutablePointer<GstPromise>, _ start: (UnsafeMutablePointer<GstPromise>) -> Void
    ) {
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            gst_mini_object_ref(UnsafeMutableRawPointer(promise).assumingMemoryBound(to: GstMiniObject.self))
            state.promises.insert(UInt(bitPattern: promise))
            start(promise)
            return false
        }
        if isOver { gst_promise_expire(promise) }
    }

    /// The promise was answered or has expired.
    func remove(_ address: UInt) {
        guard state.withLock({ $0.promises.remove(address) }) != nil else { return }
        Self.release(address)
    }

    /// Expires all pending promises, and all later ones; the element has stopped.
    func expire() {
        let pending = state.withLock { state in
            state.isOver = true
            defer { state.promises = [] }
            return state.promises
        }
        for address in pending {
            gst_promise_expire(UnsafeMutablePointer(bitPattern: address))
            Self.release(address)
        }
    }

    private static func release(_ address: UInt) {
        gst_mini_object_unref(UnsafeMutablePointer<GstMiniObject>(bitPattern: address))
    }
}
