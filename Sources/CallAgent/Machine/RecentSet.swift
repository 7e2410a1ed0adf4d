/// The names that were inserted last, up to a bound.
struct RecentSet: Sendable {
    private var names: Set<String> = []
    private var order: [String] = []
    private var oldest = 0
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    func contains(_ name: String) -> Bool { names.contains(name) }

    mutating func insert(_ name: String) {
        guard names.insert(name).inserted else { return }
        guard order.count == capacity else { return order.append(name) }
        names.remove(order[oldest])
        order[oldest] = name
        oldest = (oldest + 1) % capacity
    }
}
