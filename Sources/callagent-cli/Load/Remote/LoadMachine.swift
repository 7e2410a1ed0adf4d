internal import Foundation
internal import Synchronization

/// Another machine with workers of a load, as the machine that runs the load sees it.
final class LoadMachine: LoadMember {
    let party: LoadParty
    let reports: AsyncStream<(worker: Int, message: LoadMessage)>
    private let inbox: AsyncStream<(worker: Int, message: LoadMessage)>.Continuation
    private let line: LoadCrew.Line
    /// Why it ended; an end in order is nil within.
    private let outcome = Mutex<String??>(nil)
    private let isReady = Atomic(false)

    /// How long its workers may take to sign in, and how long they may take to stop before they have.
    private static let (readyTime, idlePatience): (Duration, Duration) = (.seconds(30), .seconds(2))

    init(_ party: LoadParty, _ line: LoadCrew.Line) {
        (self.party, self.line) = (party, line)
        (reports, inbox) = AsyncStream.makeStream()
        Task { [weak self] in
            try? await Task.sleep(for: Self.readyTime)
            guard let self, !isReady.load(ordering: .relaxed) else { return }
            end("the workers of \(party.device) did not sign in within \(Self.readyTime)")
        }
    }

    var machine: String? { party.device }

    func start() { send(.start) }

    func stop() {
        send(.stop)
        Task {
            try? await Task.sleep(
                for: isReady.load(ordering: .relaxed) ? LoadProcess.patience : Self.idlePatience)
            end("the workers of \(party.device) did not end")
        }
    }

    /// Returns at once: ``reports`` ends when the machine has.
    func waitForEnd() async -> String? { outcome.withLock { $0 } ?? nil }

    private func send(_ order: LoadOrder) { Task { await line.send(order, to: party, load: party.load) } }

    func take(_ answer: LoadAnswer) {
        switch answer {
        case .available, .busy: break
        case .report(let worker, let message):
            isReady.store(true, ordering: .relaxed)
            inbox.yield((worker, message))
        case .ended(let problem): end(problem.map { "\(party.device): \($0)" })
        }
    }

    /// Nothing comes from it any more; the first reason counts.
    func end(_ problem: String?) {
        outcome.withLock { $0 = $0 ?? .some(problem) }
        inbox.finish()
    }
}
