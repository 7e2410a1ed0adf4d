import SignalingServer
import Synchronization

/// A relay that takes every client, and says only when the test wants it that it has passed a message on.
final class FakeRelay: SignalingRelay {
    /// Why it takes nobody; nil: it does.
    let fault = Mutex<RelayError?>(nil)
    /// Those who signed in, in order.
    let seats = Mailbox<Seat>()

    func enter(
        user: String, device: String, token: String?, session: String
    ) async throws(RelayError) -> any RelaySeat {
        if let fault = fault.withLock(\.self) { throw fault }
        let seat = Seat()
        seats.put(seat)
        return seat
    }

    final class Seat: RelaySeat {
        /// What the client sent.
        let sent = Mailbox<Sent>()
        private let left = Mailbox<Void>()

        struct Sent: Sendable {
            let text: String
            let taken: @Sendable () -> Void
        }

        func receive(_ receiver: @escaping @Sendable (RelayEvent) async -> Void) async {
            _ = try? await left.next(within: .seconds(120))
        }

        func send(_ text: String, to user: String, taken: @escaping @Sendable () -> Void) async {
            sent.put(Sent(text: text, taken: taken))
        }

        func watch(
            _ users: [String]?, _ receiver: @escaping @Sendable (RelayEvent) async -> Void
        ) async throws(RelayError) {}

        func leave(isSilent: Bool) async {
            left.finish()
            sent.finish()
        }
    }
}
