internal import Foundation
internal import UnixSignals

/// Runs a command so that SIGINT and SIGTERM end it properly, and within 2 seconds.
enum Interruption {
    /// What is left of the 2 seconds that a user waits.
    private static let limit: Duration = .milliseconds(1_800)

    /// Runs `body`; a signal cancels it, and it hangs up and cleans up then.
    ///
    /// - Throws: what `body` throws, or a ``Failure`` without a line for the signal.
    static func handled<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result
    {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let work = Task { try await body() }
        let watch = Task { () -> ExitStatus? in
            for await signal in signals {
                let status: ExitStatus = signal == .sigint ? .interrupted : .terminated
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
