internal import CallAgent
internal import NIOCore

/// A request to the server; only one of its type is open at a time.
///
/// Runs on its event loop only.
final class PendingAnswer {
    private var promise: EventLoopPromise<Void>?
    private var deadline: Scheduled<Void>?

    /// Whether the answer has not arrived yet.
    var isOpen: Bool { promise != nil }

    /// Starts a request; nil while another one is open.
    ///
    /// Fails with `late` when no answer arrives within `limit`.
    func begin(on loop: any EventLoop, within limit: TimeAmount, late: SignalingError) -> EventLoopFuture<Void>? {
        guard promise == nil else { return nil }
        let promise = loop.makePromise(of: Void.self)
        self.promise = promise
        deadline = loop.assumeIsolated().scheduleTask(in: limit) { [weak self] in self?.end(.failure(late)) }
        return promise.futureResult
    }

    /// Completes the request; ignored when none is open.
    func end(_ result: Result<Void, SignalingError>) {
        deadline?.cancel()
        deadline = nil
        promise.take()?.completeWith(result.mapError { $0 as any Error })
    }
}
