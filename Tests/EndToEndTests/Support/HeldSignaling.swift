import CallAgent
import Synchronization

/// Signaling that holds received messages until a test releases them.
final class HeldSignaling: SignalingTransport {
    private struct State {
        var isHolding = true
        var held: [SignalingTransportEvent] = []
    }

    let events: AsyncStream<SignalingTransportEvent>
    private let sink: AsyncStream<SignalingTransportEvent>.Continuation
    private let transport: any SignalingTransport
    private let state = Mutex(State())

    init(_ transport: any SignalingTransport) {
        self.transport = transport
        (events, sink) = AsyncStream.makeStream()
        let incoming = transport.events
        Task { [weak self, sink] in
            for await event in incoming { self?.take(event) }
            sink.finish()
        }
    }

    var guaranteesDelivery: Bool { transport.guaranteesDelivery }
    var device: String? { transport.device }

    /// The number of held messages.
    var heldCount: Int { state.withLock { $0.held.count } }

    /// Holds messages from now on, until they are released again.
    func hold() { state.withLock { $0.isHolding = true } }

    /// Delivers the held messages in order, and later ones at once.
    func release() {
        state.withLock { state in
            state.isHolding = false
            for event in state.held { sink.yield(event) }
            state.held = []
        }
    }

    @discardableResult
    func connect(as user: String) async throws(SignalingError) -> [IceServer] { try await transport.connect(as: user) }
    func send(_ text: String, to user: String) async throws(SignalingError) { try await transport.send(text, to: user) }
    func close() async { await transport.close() }

    private func take(_ event: SignalingTransportEvent) {
        state.withLock { state in
            if case .received = event, state.isHolding { state.held.append(event) } else { sink.yield(event) }
        }
    }
}
