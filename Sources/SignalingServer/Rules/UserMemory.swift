/// The users that were signed in since the server started, the oldest forgotten beyond a bound.
///
/// Without the bound a client that signs in under ever new names would fill the memory.
struct UserMemory: Sendable {
    private var users: Set<String> = []
    private var order: [String] = []
    private var oldest = 0
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    func contains(_ user: String) -> Bool { users.contains(user) }

    mutating func insert(_ user: String) {
        guard users.insert(user).inserted else { return }
        guard order.count == capacity else { return order.append(user) }
        users.remove(order[oldest])
        order[oldest] = user
        oldest = (oldest + 1) % capacity
    }
}
