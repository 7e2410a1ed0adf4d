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
        /// Ends when no promise is pending any more.
        var answered: AsyncStream<Void>.Continuation?
    }
    private let state = Mutex(State())

    /// Passes `promise` to the element by `start`, and keeps it until it is answered; after ``finish(within:)`` or ``expire()`` it expires at once.
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
        let isPending = state.withLock { state in
            defer { if state.promises.isEmpty { state.answered?.finish() } }
            return state.promises.remove(address) != nil
        }
        if isPending { Self.release(address) }
    }

    /// Accepts no more promises, and waits for the replies to the pending ones, at most this long.
    ///
    /// Until then `webrtcbin` adds elements, and stopping it would start those first; see ``Pipeline/stop()``. What it does without a request, such as
    /// adding a data channel of the peer, is not awaited.
    func finish(within limit: Duration) async {
        let (answers, answered) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        state.withLock { state in
            state.isOver = true
            state.answered = answered
            if state.promises.isEmpty { answered.finish() }
        }
        _ = await Deadline.isMet(limit) { for await _ in answers {} }
    }

    /// Expires all pending promises, and all later ones; the element has stopped.
    func expire() {
        let pending = state.withLock { state in
            state.isOver = true
            state.answered?.finish()
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
