internal import CGStreamer
internal import Synchronization

/// The future reply of one GstPromise; resumed exactly once.
private final class PromiseBox: Sendable {
    typealias Reply = [String: PropertyValue]
    private let continuation: Mutex<CheckedContinuation<Result<Reply, MediaError>, Never>?>
    private let operation: String

    init(_ continuation: CheckedContinuation<Result<Reply, MediaError>, Never>, operation: String) {
        self.continuation = Mutex(continuation)
        self.operation = operation
    }

    /// Decodes on the replying thread: the reply is only borrowed from the promise.
    func resume(_ promise: UnsafeMutablePointer<GstPromise>?) {
        guard let promise, gst_promise_wait(promise) == GST_PROMISE_RESULT_REPLIED else {
            return finish(.failure(.expired(operation: operation)))
        }
        guard let structure = gst_promise_get_reply(promise) else { return finish(.success([:])) }
        let fields = PropertyValue(structure).fields ?? [:]
        if case .error(let text) = fields["error"] {
            finish(.failure(.rejected(operation: operation, text: text)))
        } else {
            finish(.success(fields))
        }
    }

    private func finish(_ result: Result<Reply, MediaError>) {
        continuation.withLock { $0.take() }?.resume(returning: result)
    }
}

/// Passes a new promise to `start` and waits for the fields of its reply; meanwhile the promise is in `pending`.
///
/// - Throws: ``MediaError/rejected(operation:text:)`` when the reply carries an error, ``MediaError/expired(operation:)`` when
///   the promise expires, or GStreamer frees it unanswered, because the element went away.
nonisolated(nonsending) func awaitReply(
    to operation: String, pending: PendingReplies? = nil, start: (UnsafeMutablePointer<GstPromise>) -> Void
) async throws(MediaError) -> [String: PropertyValue] {
    var address: UInt = 0
    let result = await withCheckedContinuation { continuation in
        let box = PromiseBox(continuation, operation: operation)
        let promise = gst_promise_new_with_change_func(
            { promise, data in
                if let data { Unmanaged<PromiseBox>.fromOpaque(data).takeUnretainedValue().resume(promise) }
            },
            Unmanaged.passRetained(box).toOpaque(),
            { data in
                // The promise was freed, so no reply can follow.
                if let data { Unmanaged<PromiseBox>.fromOpaque(data).takeRetainedValue().resume(nil) }
            })!
        address = UInt(bitPattern: promise)
        if let pending { pending.begin(promise, start) } else { start(promise) }
        gst_mini_object_unref(UnsafeMutableRawPointer(promise).cast())
    }
    pending?.remove(address)
    return try result.get()
}
