/// Schedules hooks: a limited number at a time, and the hooks of one call in the order of its events.
///
/// A plain value. The hooks of one event run in parallel. The hooks of the call's next event run after them.
struct HookQueue<Hook: Sendable>: Sendable {
    /// One hook to run.
    struct Job: Sendable {
        let number: Int
        fileprivate let call: String
        fileprivate let event: Int
        let hook: Hook
    }

    /// The most hooks that run at a time.
    private let concurrency: Int
    /// The most hooks that may wait.
    private let capacity: Int
    private var waiting: [Job] = []
    private var running: [Job] = []
    private var events = 0
    private var numbers = 0

    init(concurrency: Int, capacity: Int) {
        self.concurrency = concurrency
        self.capacity = capacity
    }

    /// The number of hooks that wait.
    var count: Int { waiting.count }

    /// Adds the hooks of one event of a call.
    ///
    /// - Returns: the number of hooks that did not fit.
    mutating func add(_ hooks: [Hook], of call: String) -> Int {
        events += 1
        let room = capacity - waiting.count
        for hook in hooks.prefix(room) {
            numbers += 1
            waiting.append(Job(number: numbers, call: call, event: events, hook: hook))
        }
        return hooks.count - min(hooks.count, room)
    }

    /// Returns the next hook that may run now; nil if there is none.
    ///
    /// It counts as running until ``end(_:)``.
    mutating func next() -> Job? {
        guard running.count < concurrency else { return nil }
        // The earliest unfinished event of a call blocks its later ones.
        var first: [String: Int] = [:]
        for job in running + waiting { first[job.call] = min(first[job.call] ?? .max, job.event) }
        guard let index = waiting.firstIndex(where: { first[$0.call] == $0.event }) else { return nil }
        let job = waiting.remove(at: index)
        running.append(job)
        return job
    }

    /// A hook has ended.
    mutating func end(_ job: Job) { running.removeAll { $0.number == job.number } }

    /// Removes the hooks that wait.
    ///
    /// - Returns: the number of removed hooks.
    mutating func clear() -> Int {
        defer { waiting = [] }
        return waiting.count
    }
}
