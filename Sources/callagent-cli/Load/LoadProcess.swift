internal import Foundation
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// A part of a load that runs by itself: a worker process, or another machine with several of them.
protocol LoadMember: Sendable {
    /// What its workers report, each with a number of its own; ends when it has.
    var reports: AsyncStream<(worker: Int, message: LoadMessage)> { get }

    /// The name of the machine; nil: this one.
    var machine: String? { get }

    /// Lets it place its calls.
    func start()

    /// Lets it hang up, report and end, within a bounded time.
    func stop()

    /// Waits for its end.
    ///
    /// - Returns: Why it ended without a message about it; nil if it ended in order.
    func waitForEnd() async -> String?
}

/// A worker process, as the process that started it sees it.
///
/// It is this program again, with the same arguments and its ``WorkerShare``.
struct LoadProcess: LoadMember {
    let reports: AsyncStream<(worker: Int, message: LoadMessage)>
    let machine: String? = nil
    private let orders: AsyncStream<String>.Continuation
    private let running: Task<String?, Never>

    /// - Parameters:
    ///   - options: the options that only the worker gets.
    ///   - plan: those of a load of another machine; they replace the same options here.
    init(share: WorkerShare, options: [String], plan: [String] = []) {
        let arguments =
            ["load", "--worker", share.defaultValueDescription] + options + CommandLine.arguments.dropFirst(2) + plan
        let (messages, inbox) = AsyncStream.makeStream(of: (worker: Int, message: LoadMessage).self)
        let (orders, control) = AsyncStream.makeStream(of: String.self)
        (self.reports, self.orders) = (messages, control)
        // Not cancelled with the current task: the worker ends in order when its standard input does.
        running = Task { await Self.run(arguments, orders, inbox) }
    }

    func start() { orders.yield("start\n") }

    /// A worker that does not end is killed.
    func stop() {
        orders.finish()
        Task { [running] in
            try? await Task.sleep(for: Self.patience)
            running.cancel()
        }
    }

    /// How long a worker may take to hang up: a little less than the program has after a signal.
    static let patience: Duration = .seconds(9)

    func waitForEnd() async -> String? { await running.value }

    private static func run(
        _ arguments: [String], _ orders: AsyncStream<String>,
        _ reports: AsyncStream<(worker: Int, message: LoadMessage)>.Continuation
    ) async -> String? {
        defer { reports.finish() }
        var options = PlatformOptions()
        // A terminal's Ctrl-C is for the process that started it, which then lets its workers end in order.
        options.createSession = true
        let hasFailed = Atomic(false)
        do {
            let result = try await Subprocess.run(
                .path("/proc/self/exe"), arguments: Arguments(arguments), platformOptions: options,
                input: .inputWriter, output: .sequence, error: .currentStandardError
            ) { worker in
                let ordering = Task {
                    for await order in orders { _ = try await worker.standardInputWriter.write(order) }
                    try await worker.standardInputWriter.finish()
                }
                // Texts of peers may have other line breaks than these.
                let lines = worker.standardOutput.strings(
                    separatedBy: .unicodeScalarSequence(["\n"]), bufferingPolicy: .unbounded)
                for try await line in lines where !line.allSatisfy(\.isNewline) {
                    let message = LoadMessage(line: line) ?? .failed(status: 7, line: "a worker's report is unreadable")
                    if case .failed = message { hasFailed.store(true, ordering: .relaxed) }
                    reports.yield((0, message))
                }
                ordering.cancel()
            }
            guard !hasFailed.load(ordering: .relaxed) else { return nil }
            return switch result.terminationStatus {
            case .exited(0): nil
            case .exited(let code): "a worker ended with exit code \(code)"
            case .signaled(let signal): "a worker was ended by signal \(signal)"
            }
        } catch {
            return Task.isCancelled ? "a worker did not end and was killed" : "a worker cannot be run: \(error)"
        }
    }
}
