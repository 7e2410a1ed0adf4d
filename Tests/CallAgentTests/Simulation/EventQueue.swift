/// What is still to happen in virtual time, the earliest first; of the same time, in the order in which it was planned.
struct EventQueue<Event> {
    private var heap: [(at: Int, number: Int, event: Event)] = []
    private var planned = 0

    mutating func plan(_ event: Event, at time: Int) {
        planned += 1
        heap.append((time, planned, event))
        var child = heap.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func next() -> (at: Int, event: Event)? {
        guard let first = heap.first else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            let least = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }.min { isBefore($0, $1) }
            guard let least, isBefore(least, parent) else { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return (first.at, first.event)
    }

    private func isBefore(_ a: Int, _ b: Int) -> Bool {
        (heap[a].at, heap[a].number) < (heap[b].at, heap[b].number)
    }
}
