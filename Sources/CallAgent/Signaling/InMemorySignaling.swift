internal import CallProtocol
internal import Synchronization

/// Signaling inside one process: for tests, and for applications whose agents share a process.
///
/// Each user connects through its own ``InMemorySignaling/Transport``. Messages are delivered in order, at once and exactly once. For a user who
/// does not read them, ``maximumWaiting`` messages wait; further ones are not taken.
public final class InMemorySignaling: Sendable {
    /// How many messages wait for a user who does not read them.
    public static let maximumWaiting = 4_096

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
            (events, inbox) = AsyncStream.makeStream(
                bufferingPolicy: .bufferingOldest(InMemorySignaling.maximumWaiting))
        }

        /// Signs in; throws 409 when the name is taken.
        @discardableResult
        public func connect(as user: String) async throws(SignalingError) -> [IceServer] {
            try board.signIn(user, self)
            self.user.withLock { $0 = user }
            return []
        }

        /// Delivers at once; answers with error 480 for a user who is not signed in.
        ///
        /// - Throws: ``SignalingError/notConnected`` before the sign-in, ``SignalingError/receiverIsFull(_:limit:)``.
        public func send(_ text: String, to user: String) async throws(SignalingError) {
            guard let sender = self.user.withLock({ $0 }) else { throw .notConnected }
            if let receiver = board.line(to: user) {
                try receiver.take(text, for: user)
            } else if let message = try? SignalingMessage(decoding: text) {
                guard let answer = try? Self.offline(message, sender: sender).encoded() else { return }
                try take(answer, for: sender)
            }
        }

        private func take(_ text: String, for user: String) throws(SignalingError) {
            if case .dropped = inbox.yield(.received(text)) {
                throw .receiverIsFull(user, limit: InMemorySignaling.maximumWaiting)
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
