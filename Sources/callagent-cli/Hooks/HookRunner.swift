internal import CallAgent
internal import Logging
internal import NIOCore

/// Runs the hooks of a command: some at a time, each for a bounded time, none of them in a call's way.
final class HookRunner: CallHook {
    /// One hook to run.
    private struct Job: Sendable {
        let target: HookTarget
        let document: HookDocument
    }

    /// How many run at a time.
    private static let concurrency = 4
    /// How many may wait; what is beyond is not run.
    private static let longestQueue = 256
    /// How long a program may run.
    private static let commandLimit: Duration = .seconds(30)
    /// How long a webhook may take.
    private static let webhookLimit: TimeAmount = .seconds(5)
    /// How long the program waits at its end for those that still run.
    private static let patience: Duration = .seconds(6)

    private let onRing: [HookTarget]
    private let onEnd: [HookTarget]
    private let logger: Logger
    private let jobs: AsyncStream<Job>.Continuation
    private let worker: Task<Void, Never>

    init(onRing: [HookTarget], onEnd: [HookTarget], logger: Logger) {
        (self.onRing, self.onEnd, self.logger) = (onRing, onEnd, logger)
        let (queue, jobs) = AsyncStream.makeStream(of: Job.self, bufferingPolicy: .bufferingOldest(Self.longestQueue))
        self.jobs = jobs
        worker = Task {
            await withTaskGroup(of: Void.self) { group in
                var running = 0
                for await job in queue {
                    if running == Self.concurrency {
                        await group.next()
                        running -= 1
                    }
                    group.addTask { await Self.run(job, logger) }
                    running += 1
                }
            }
        }
    }

    func callRings(_ call: CallFacts) { enqueue(onRing, HookDocument(.ring, call)) }

    func callEnded(_ call: CallFacts) { enqueue(onEnd, HookDocument(.end, call)) }

    /// Takes no more, and waits for those that run.
    func finish() async {
        jobs.finish()
        let limit = Task { [worker] in
            guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
            worker.cancel()
        }
        await worker.value
        limit.cancel()
    }

    private func enqueue(_ targets: [HookTarget], _ document: HookDocument) {
        for target in targets {
            guard case .dropped = jobs.yield(Job(target: target, document: document)) else { continue }
            logger.error("a hook was not run: \(Self.longestQueue) others wait already")
        }
    }

    private static func run(_ job: Job, _ logger: Logger) async {
        switch job.target {
        case .command(let path, let arguments):
            let complaint = await HookCommand.run(path, arguments, job.document.environment, limit: commandLimit)
            if let complaint { logger.error("the hook '\(path)' failed: \(complaint)") }
        case .webhook(let url):
            let complaint = await WebHook.post(Output.json(job.document, []), to: url, limit: webhookLimit)
            if let complaint { logger.error("the hook http://\(url.authority)\(url.target) failed: \(complaint)") }
        }
    }
}
