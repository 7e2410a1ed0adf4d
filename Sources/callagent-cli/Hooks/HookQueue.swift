/// Which hooks run when: a bounded number at a time, and those of one call in the order of its events.
///
/// A plain value. The hooks of one event run beside each other, and those of a call's next event after them.
struct HookQueue<Hook: Sendable>: Sendable {
    /// One hook to run.
    struct Job: Sendable {
        let number: Int
        fileprivate let call: String
        fileprivate let event: Int
        let hook: Hook
    }

    /// How many run at a time.
    private let concurrency: Int
    /// How many may wait.
    private let capacity: Int
    private var waiting: [Job] = []
    private var running: [Job] = []
    private var events = 0
    private var numbers = 0

    init(concurrency: Int, capacity: Int) {
        self.concurrency = concurrency
        self.capacity = capacity
    }

    /// How many wait for their turn.
    var count: Int { waiting.count }

    /// Adds the hooks of one event of a call.
    ///
    /// - Returns: how many of them there was no room for.
    mutating func add(_ hooks: [Hook], of call: String) -> Int {
        events += 1
        let room = capacity - waiting.count
        for hook in hooks.prefix(room) {
            numbers += 1
            waiting.append(Job(number: numbers, call: call, event: events, hook: hook))
        }
        return hooks.count - min(hooks.count, room)
    }

    /// Takes the next hook that may run now, if there is one; it runs until ``end(_:)``.
    mutating func next() -> Job? {
        guard running.count < concurrency else { return nil }
        // The earliest event of each call that is not over holds up the later ones.
        var first: [String: Int] = [:]
        for job in running + waiting { first[job.call] = min(first[job.call] ?? .max, job.event) }
        guard let index = waiting.firstIndex(where: { first[$0.call] == $0.event }) else { return nil }
        let job = waiting.remove(at: index)
        running.append(job)
        return job
    }

    /// A hook is over.
    mutating func end(_ job: Job) { running.removeAll { $0.number == job.number } }

    /// Forgets those that wait.
    ///
    /// - Returns: how many these were.
    mutating func clear() -> Int {
        defer { waiting = [] }
        return waiting.count
    }
}
