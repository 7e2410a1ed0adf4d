// Signaling over a message service that the application already has.

import CallAgent

/// The interface of such a service.
protocol ChatService: Sendable {
    /// Messages from others to this user.
    var messages: AsyncStream<String> { get }
    func write(_ text: String, to user: String) async throws
}

// snippet.transport
final class ChatSignaling: SignalingTransport {
    let events: AsyncStream<SignalingTransportEvent>
    private let inbox: AsyncStream<SignalingTransportEvent>.Continuation
    private let reader: Task<Void, Never>
    private let chat: any ChatService

    /// The application has already signed in to `chat`.
    init(_ chat: any ChatService) {
        self.chat = chat
        let (events, inbox) = AsyncStream<SignalingTransportEvent>.makeStream()
        (self.events, self.inbox) = (events, inbox)
        reader = Task {
            for await text in chat.messages { inbox.yield(.received(text)) }
            inbox.yield(.disconnected(text: "the chat has ended"))
        }
    }

    /// The chat has no STUN and TURN servers to give.
    func connect(as user: String) async throws(SignalingError) -> [IceServer] { [] }

    func send(_ text: String, to user: String) async throws(SignalingError) {
        // The agent repeats unacknowledged messages, so one attempt is enough.
        do { try await chat.write(text, to: user) } catch { throw .notConnected }
    }

    func close() async {
        reader.cancel()
        inbox.finish()
    }
}
// snippet.end

// snippet.use
func answerOverChat(_ agent: Agent) async throws {
    try await agent.prepare()
    for await call in agent.incomingCalls { try await call.accept() }
}
// snippet.end
