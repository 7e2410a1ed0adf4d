/// The planned events in virtual time, the earliest first.
///
/// Events of the same time keep the order in which they were planned.
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
            let left = 2 * parent + 1
            var least = parent
            if left < heap.count, isBefore(left, least) { least = left }
            if left + 1 < heap.count, isBefore(left + 1, least) { least = left + 1 }
            guard least != parent else { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return (first.at, first.event)
    }

    private func isBefore(_ a: Int, _ b: Int) -> Bool {
        heap[a].at != heap[b].at ? heap[a].at < heap[b].at : heap[a].number < heap[b].number
    }
}
