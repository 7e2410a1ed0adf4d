internal import CallProtocol
internal import NIOCore

/// A client of this server at the relay: hands its messages over in order, and passes what comes to the event loop.
struct RelayLine {
    private enum Order: Sendable {
        case send(String, to: String)
        case watch([String]?)
        case leave(isSilent: Bool)
    }

    /// What happened; on the event loop of the server.
    enum Fact: Sendable {
        case entered
        case refused(RelayError)
        case watchRefused(RelayError)
        case event(RelayEvent)
        /// A message with this many bytes waits no more.
        case taken(bytes: Int)
    }

    /// How many messages may wait until the relay has passed them on.
    private static let maximumWaiting = 1_024

    private let orders: AsyncStream<Order>.Continuation
    /// How many messages wait.
    private var messages = 0
    /// How many bytes they have.
    private(set) var bytes = 0

    /// Signs the client in, and reports what becomes of it.
    init(
        _ relay: any SignalingRelay, _ party: Party, token: String?, session: String,
        report: @escaping @Sendable (Fact) -> EventLoopFuture<Void>
    ) {
        let (waiting, orders) = AsyncStream<Order>.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
        self.orders = orders
        Task {
            let seat: any RelaySeat
            do throws(RelayError) {
                seat = try await relay.enter(user: party.user, device: party.device, token: token, session: session)
            } catch {
                _ = report(.refused(error))
                return
            }
            _ = report(.entered)
            // The only possible failure: the event loop has ended.
            let receiver: @Sendable (RelayEvent) async -> Void = { try? await report(.event($0)).get() }
            let events = Task { await seat.receive(receiver) }
            var isSilent = false
            for await order in waiting {
                switch order {
                case .send(let text, let user):
                    let bytes = text.utf8.count
                    await seat.send(text, to: user) { _ = report(.taken(bytes: bytes)) }
                case .watch(let users):
                    do throws(RelayError) {
                        try await seat.watch(users, receiver)
                    } catch {
                        _ = report(.watchRefused(error))
                    }
                case .leave(let isSilentNow): isSilent = isSilentNow
                }
            }
            await seat.leave(isSilent: isSilent)
            await events.value
        }
    }

    /// Hands a message over; at most `limit` bytes may wait.
    ///
    /// - Returns: false if too much waits: the client has to be disconnected.
    mutating func send(_ text: ByteBuffer, to user: String, limit: Int) -> Bool {
        guard messages < Self.maximumWaiting, bytes + text.readableBytes <= limit,
            put(.send(String(buffer: text), to: user))
        else { return false }
        messages += 1
        bytes += text.readableBytes
        return true
    }

    mutating func taken(bytes: Int) {
        messages -= 1
        self.bytes -= bytes
    }

    /// - Returns: false if too much waits.
    func watch(_ users: [String]?) -> Bool { put(.watch(users)) }

    /// Signs the client out, also when it is still being signed in.
    func leave(isSilent: Bool) {
        _ = put(.leave(isSilent: isSilent))
        orders.finish()
    }

    private func put(_ order: Order) -> Bool {
        if case .dropped = orders.yield(order) { false } else { true }
    }
}
