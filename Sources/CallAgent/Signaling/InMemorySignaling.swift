internal import CallProtocol
internal import Synchronization

/// Signaling inside one process: for tests, and for applications whose agents share a process.
///
/// Each user connects through its own ``InMemorySignaling/Transport``. Messages are delivered in order, at once and exactly once.
public final class InMemorySignaling: Sendable {
    private let lines = Mutex<[String: Transport]>([:])

    /// Makes an empty switchboard.
    public init() {}

    /// A new transport, not signed in yet.
    public func transport() -> Transport { Transport(board: self) }

    fileprivate func signIn(_ user: String, _ transport: Transport) throws(SignalingError) {
        let isFree = lines.withLock { lines in
            guard lines[user] == nil else { return false }
            lines[user] = transport
            return true
        }
        guard isFree else { throw .signInRefused(code: 409, text: "\(user) is signed in already") }
    }

    fileprivate func signOut(_ user: String) { lines.withLock { $0[user] = nil } }

    fileprivate func line(to user: String) -> Transport? { lines.withLock { $0[user] } }

    /// One user's end of an ``InMemorySignaling``.
    public final class Transport: SignalingTransport {
        /// The events of this end, in order.
        public let events: AsyncStream<SignalingTransportEvent>
        /// True: no message can be lost.
        public let guaranteesDelivery = true
        private let board: InMemorySignaling
        private let inbox: AsyncStream<SignalingTransportEvent>.Continuation
        private let user = Mutex<String?>(nil)

        fileprivate init(board: InMemorySignaling) {
            self.board = board
            (events, inbox) = AsyncStream.makeStream()
        }

        /// Signs in; throws 409 when the name is taken.
        public func connect(as user: String) async throws(SignalingError) {
            try board.signIn(user, self)
            self.user.withLock { $0 = user }
        }

        /// Delivers at once; answers with error 480 for a user who is not signed in.
        public func send(_ text: String, to user: String) async throws(SignalingError) {
            guard let sender = self.user.withLock({ $0 }) else { throw .notConnected }
            if let receiver = board.line(to: user) {
                receiver.inbox.yield(.received(text))
            } else if let message = try? SignalingMessage(decoding: text) {
                guard let answer = try? Self.offline(message, sender: sender).encoded() else { return }
                inbox.yield(.received(answer))
            }
        }

        /// Signs out and ends ``events``.
        public func close() async {
            if let name = user.withLock({ $0.take() }) { board.signOut(name) }
            inbox.finish()
        }

        private static func offline(_ message: SignalingMessage, sender: String) -> SignalingMessage {
            let fault = SignalingMessage.Fault(code: 480, text: "\(message.to) is offline", ref: message.id)
            return SignalingMessage(
                id: "offline", callId: message.callId, from: "", to: sender, generation: message.generation,
                sentUnixMs: message.sentUnixMs, body: .error(fault))
        }
    }
}
