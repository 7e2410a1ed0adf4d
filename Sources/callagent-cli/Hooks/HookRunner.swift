internal import CallAgent
internal import HTTPClient
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// Runs the hooks of a command: a few at a time, each with a time limit, without delaying calls.
///
/// The hooks of one call run in the order of its events.
final class HookRunner: CallHook {
    private struct Hook: Sendable {
        let target: HookTarget
        let document: HookDocument
    }

    private struct State {
        var queue = HookQueue<Hook>(concurrency: HookRunner.concurrency, capacity: HookRunner.longestQueue)
        var running: [Int: Task<Void, Never>] = [:]
    }

    /// The most hooks that run at a time.
    private static let concurrency = 4
    /// The most hooks that may wait; hooks beyond that are not run.
    private static let longestQueue = 256
    /// How long a program may run.
    private static let commandLimit: Duration = .seconds(30)
    /// How long a webhook may take.
    private static let webhookLimit: TimeAmount = .seconds(5)
    /// How long the program waits at its end for running hooks.
    private static let patience: Duration = .seconds(6)
    /// How long the hooks that waited for them may take after that.
    private static let lastPatience: Duration = .seconds(2)

    private let onRing: [HookTarget]
    private let onConnect: [HookTarget]
    private let onEnd: [HookTarget]
    /// For `https://`; nil if no hook needs it.
    private let tls: NIOSSLContext?
    private let logger: Logger
    private let state = Mutex(State())

    init(
        onRing: [HookTarget], onConnect: [HookTarget], onEnd: [HookTarget], tls: NIOSSLContext?, logger: Logger
    ) {
        (self.onRing, self.onConnect, self.onEnd) = (onRing, onConnect, onEnd)
        (self.tls, self.logger) = (tls, logger)
    }

    func callRings(_ call: CallFacts) { enqueue(onRing, HookDocument(.ring, call)) }

    func callConnected(_ call: CallFacts) { enqueue(onConnect, HookDocument(.connect, call)) }

    func callEnded(_ call: CallFacts) { enqueue(onEnd, HookDocument(.end, call)) }

    /// Waits for the running and waiting hooks.
    ///
    /// A hook that takes too long is ended, so that the hooks behind it can run. Hooks left a little later are not run.
    func finish() async {
        let limit = Task {
            guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
            cancelRunning()
            guard (try? await Task.sleep(for: Self.lastPatience)) != nil else { return }
            let left = state.withLock { $0.queue.clear() }
            if left > 0 { logger.error("\(left) hooks were not run: the program ended") }
            cancelRunning()
        }
        while let task = state.withLock({ $0.running.values.first }) { await task.value }
        limit.cancel()
    }

    private func enqueue(_ targets: [HookTarget], _ document: HookDocument) {
        let hooks = targets.map { Hook(target: $0, document: document) }
        let left = state.withLock { $0.queue.add(hooks, of: "\(document.peer) \(document.callId)") }
        if left > 0 { logger.error("\(left) hooks were not run: \(Self.longestQueue) others wait already") }
        startNext()
    }

    /// Starts the hooks that may run after `job` has ended.
    private func startNext(after job: HookQueue<Hook>.Job? = nil) {
        state.withLock { state in
            if let job {
                state.queue.end(job)
                state.running[job.number] = nil
            }
            while let next = state.queue.next() {
                state.running[next.number] = Task {
                    await run(next.hook)
                    startNext(after: next)
                }
            }
        }
    }

    private func cancelRunning() {
        for task in state.withLock({ Array($0.running.values) }) { task.cancel() }
    }

    private func run(_ hook: Hook) async {
        switch hook.target {
        case .command(let path, let arguments):
            let complaint = await HookCommand.run(
                path, arguments, hook.document.environment, limit: Self.commandLimit)
            if let complaint { logger.error("the hook '\(path)' failed: \(complaint)") }
        case .webhook(let url):
            let body = Output.json(hook.document, [])
            let complaint = await WebHook.post(body, to: url, tls: tls, limit: Self.webhookLimit)
            if let complaint { logger.error("the hook \(url.text) failed: \(complaint)") }
        }
    }
}
