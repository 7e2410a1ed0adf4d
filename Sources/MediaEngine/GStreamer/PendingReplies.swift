internal import CGStreamer
internal import Synchronization

/// The pending replies of an element.
///
/// A stopped element drops its queue, and GStreamer warns about each promise that is freed unanswered. So the code that stops an element lets its
/// promises expire.
final class PendingReplies: Sendable {
    /// The addresses of promises, each referenced once.
    private let promises = Mutex<Set<UInt>>([])

    func add(_ promise: UnsafeMutablePointer<GstPromise>) {
        gst_mini_object_ref(UnsafeMutableRawPointer(promise).assumingMemoryBound(to: GstMiniObject.self))
        promises.withLock { _ = $0.insert(UInt(bitPattern: promise)) }
    }

    /// The promise was answered or has expired.
    func remove(_ address: UInt) {
        guard promises.withLock({ $0.remove(address) }) != nil else { return }
        Self.release(address)
    }

    /// Expires all pending promises.
    func expire() {
        let pending = promises.withLock { promises in
            defer { promises = [] }
            return promises
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
