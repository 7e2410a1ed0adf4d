internal import Foundation
internal import Synchronization
internal import UnixSignals

/// Runs a command so that SIGINT and SIGTERM end it properly, and in a bounded time.
enum Interruption {
    /// The exit code that a signal asked for; nil: there was no signal.
    static var status: ExitStatus? { received.withLock { $0 } }
    // Signals are for the whole process.
    private static let received = Mutex<ExitStatus?>(nil)

    /// The time for cleaning up, within the 2 seconds that a user waits.
    private static let limit: Duration = .milliseconds(1_800)

    /// Runs `body`; a signal cancels it, and `body` then hangs up and cleans up.
    ///
    /// With `termination`, the first SIGTERM calls that instead.
    ///
    /// - Throws: what `body` throws, or a ``Failure`` without a line for the signal.
    static func handled<Result: Sendable>(
        within limit: Duration = Self.limit, termination: (@Sendable () -> Void)? = nil,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let work = Task { try await body() }
        let watch = Task { () -> ExitStatus? in
            var termination = termination
            for await signal in signals {
                if signal == .sigterm, let terminate = termination.take() {
                    terminate()
                    continue
                }
                let status: ExitStatus = signal == .sigint ? .interrupted : .terminated
                received.withLock { $0 = status }
                work.cancel()
                Task {
                    try? await Task.sleep(for: limit)
                    status.leave()
                }
                return status
            }
            return nil
        }
        let result = await work.result
        watch.cancel()
        if let status = await watch.value { status.leave() }
        return try result.get()
    }
}
