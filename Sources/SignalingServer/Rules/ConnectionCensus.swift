/// Counts the sockets of a server and enforces their limits.
struct ConnectionCensus<Socket: Hashable & Sendable>: Sendable {
    /// Why one more socket is not accepted; the raw value is its name in the metrics.
    enum Refusal: String, Sendable, CaseIterable {
        case total
        case unauthenticated
        case address
    }

    struct Bounds: Sendable {
        var total = 10_000
        var unauthenticated = 1_024
        var perAddress = 256
    }

    private struct Entry: Sendable {
        var address: IPAddress?
        var isSignedIn = false
    }

    private let bounds: Bounds
    private var entries: [Socket: Entry] = [:]
    private var unauthenticated = 0
    private var perAddress: [IPAddress: Int] = [:]

    init(bounds: Bounds) { self.bounds = bounds }

    var count: Int { entries.count }

    /// Counts one more socket, unless a limit is reached; `address` is nil if the limit per address does not apply, or
    /// not yet.
    mutating func admit(_ socket: Socket, from address: IPAddress?) -> Refusal? {
        guard entries.count < bounds.total else { return .total }
        guard unauthenticated < bounds.unauthenticated else { return .unauthenticated }
        if let address {
            guard perAddress[address, default: 0] < bounds.perAddress else { return .address }
            perAddress[address, default: 0] += 1
        }
        entries[socket] = Entry(address: address)
        unauthenticated += 1
        return nil
    }

    /// Counts a socket for `address`, unless it is counted for one already.
    ///
    /// - Returns: false if the limit per address is reached.
    mutating func claim(_ socket: Socket, for address: IPAddress) -> Bool {
        guard let entry = entries[socket], entry.address == nil else { return true }
        guard perAddress[address, default: 0] < bounds.perAddress else { return false }
        perAddress[address, default: 0] += 1
        entries[socket]?.address = address
        return true
    }

    mutating func signedIn(_ socket: Socket) {
        guard entries[socket]?.isSignedIn == false else { return }
        entries[socket]?.isSignedIn = true
        unauthenticated -= 1
    }

    mutating func left(_ socket: Socket) {
        guard let entry = entries.removeValue(forKey: socket) else { return }
        if !entry.isSignedIn { unauthenticated -= 1 }
        guard let address = entry.address else { return }
        let left = perAddress[address, default: 0] - 1
        perAddress[address] = left > 0 ? left : nil
    }
}
