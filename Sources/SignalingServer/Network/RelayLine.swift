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
    }

    /// How many messages may wait until the relay has taken the client, or accepts more; a client that sends more is disconnected.
    private static let maximumWaiting = 1_024

    private let orders: AsyncStream<Order>.Continuation

    /// Signs the client in, and reports what becomes of it.
    init(
        _ relay: any SignalingRelay, _ party: Party, token: String?, session: String,
        report: @escaping @Sendable (Fact) -> Void
    ) {
        let (waiting, orders) = AsyncStream<Order>.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
        self.orders = orders
        Task {
            let seat: any RelaySeat
            do throws(RelayError) {
                seat = try await relay.enter(user: party.user, device: party.device, token: token, session: session)
            } catch {
                return report(.refused(error))
            }
            report(.entered)
            let events = Task { for await event in seat.events { report(.event(event)) } }
            var isSilent = false
            for await order in waiting {
                switch order {
                case .send(let text, let user): await seat.send(text, to: user)
                case .watch(let users):
                    do throws(RelayError) { try await seat.watch(users) } catch { report(.watchRefused(error)) }
                case .leave(let isSilentNow): isSilent = isSilentNow
                }
            }
            await seat.leave(isSilent: isSilent)
            await events.value
        }
    }

    /// - Returns: false if too many messages wait.
    func send(_ text: String, to user: String) -> Bool { put(.send(text, to: user)) }

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
