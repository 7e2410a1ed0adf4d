import Testing

@testable import callagent_cli

/// The order of hooks.
struct HookQueueTests {
    private var queue = HookQueue<String>(concurrency: 3, capacity: 5)

    @Test mutating func theHooksOfACallRunInTheOrderOfItsEvents() throws {
        #expect(queue.add(["ring 1", "ring 2"], of: "a") == 0)
        #expect(queue.add(["end"], of: "a") == 0)
        #expect(queue.add(["other"], of: "b") == 0)
        let (first, second, third) = (try next(), try next(), try next())
        #expect([first, second, third].map(\.hook) == ["ring 1", "ring 2", "other"])
        #expect(queue.next() == nil)
        queue.end(first)
        // There is room, but the second hook of the same event still runs.
        #expect(queue.next() == nil && queue.count == 1)
        queue.end(second)
        #expect(try next().hook == "end")
    }

    @Test mutating func noMoreRunAndWaitThanMay() throws {
        #expect(queue.add((1...7).map { "\($0)" }, of: "a") == 2)
        let running = [try next(), try next(), try next()]
        #expect(running.map(\.hook) == ["1", "2", "3"])
        #expect(queue.next() == nil)
        queue.end(running[1])
        #expect(try next().hook == "4")
        #expect(queue.count == 1)
        #expect(queue.clear() == 1)
        queue.end(running[0])
        #expect(queue.next() == nil && queue.count == 0)
    }

    private mutating func next() throws -> HookQueue<String>.Job {
        let job = queue.next()
        return try #require(job)
    }
}
