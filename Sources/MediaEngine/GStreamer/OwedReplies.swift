internal import CGStreamer
internal import Synchronization

/// The replies that an element still owes.
///
/// An element that is stopped drops what waits in its queue, and GStreamer complains of each promise that is freed unanswered: whoever has stopped it
/// lets them expire.
final class OwedReplies: Sendable {
    /// Addresses of promises, each of which is referenced once.
    private let promises = Mutex<Set<UInt>>([])

    func add(_ promise: UnsafeMutablePointer<GstPromise>) {
        gst_mini_object_ref(UnsafeMutableRawPointer(promise).assumingMemoryBound(to: GstMiniObject.self))
        promises.withLock { _ = $0.insert(UInt(bitPattern: promise)) }
    }

    /// Has come, one way or the other.
    func remove(_ address: UInt) {
        guard promises.withLock({ $0.remove(address) }) != nil else { return }
        Self.release(address)
    }

    /// Tells all who wait that nothing will come.
    func expire() {
        let owed = promises.withLock { promises in
            defer { promises = [] }
            return promises
        }
        for address in owed {
            gst_promise_expire(UnsafeMutablePointer(bitPattern: address))
            Self.release(address)
        }
    }

    private static func release(_ address: UInt) {
        gst_mini_object_unref(UnsafeMutablePointer<GstMiniObject>(bitPattern: address))
    }
}
