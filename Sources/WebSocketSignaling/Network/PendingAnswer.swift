internal import CallAgent
internal import NIOCore

/// A question to the server, of a kind of which only one is open at a time.
///
/// Runs on its event loop only.
final class PendingAnswer {
    private var promise: EventLoopPromise<Void>?
    private var deadline: Scheduled<Void>?

    /// Whether the answer is not there yet.
    var isOpen: Bool { promise != nil }

    /// Asks; nil while another one is open.
    ///
    /// Fails with `late` when no answer came within `limit`.
    func begin(on loop: any EventLoop, within limit: TimeAmount, late: SignalingError) -> EventLoopFuture<Void>? {
        guard promise == nil else { return nil }
        let promise = loop.makePromise(of: Void.self)
        self.promise = promise
        deadline = loop.assumeIsolated().scheduleTask(in: limit) { [weak self] in self?.end(.failure(late)) }
        return promise.futureResult
    }

    /// The answer; ignored when nothing was asked.
    func end(_ result: Result<Void, SignalingError>) {
        deadline?.cancel()
        deadline = nil
        promise.take()?.completeWith(result.mapError { $0 as any Error })
    }
}
