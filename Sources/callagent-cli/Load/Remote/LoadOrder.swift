internal import Foundation

/// What the machine that runs a load says to those with its workers.
enum LoadOrder: Codable, Equatable {
    /// Who has time?
    case gather
    /// Start these workers: `processes` of `count`, the first of which has the number `first`.
    case prepare(LoadPlan, first: Int, processes: Int, count: Int)
    /// Place the calls.
    case start
    /// Hang up, report and end.
    case stop
}

/// What a machine with workers answers.
enum LoadAnswer: Codable {
    /// It has time, and starts so many processes at most.
    case available(processes: Int)
    /// It runs another load.
    case busy
    /// A worker reports; `worker` counts those of this machine.
    case report(worker: Int, LoadMessage)
    /// All workers have ended; `problem` says why if they did not do so in order.
    case ended(problem: String?)
}
