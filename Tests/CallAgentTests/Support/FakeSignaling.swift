import CallAgent
import Synchronization

/// A signaling transport that the test controls.
final class FakeSignaling: SignalingTransport {
    enum Step: Sendable, Equatable {
        case connected(String)
        case sent(SignalingMessage)
        case checked
        case renewed(String)
        case closed
    }

    private struct State {
        var steps: [Step] = []
        var connectError: SignalingError?
        var iceServers: [IceServer] = []
        var sendError: SignalingError?
        var failsOnce = false
        var sendLatch: Latch?
    }

    let events: AsyncStream<SignalingTransportEvent>
    let guaranteesDelivery: Bool
    let device: String?
    private let sink: AsyncStream<SignalingTransportEvent>.Continuation
    private let state = Mutex(State())

    init(guaranteesDelivery: Bool = true, device: String? = nil) {
        self.guaranteesDelivery = guaranteesDelivery
        self.device = device
        (events, sink) = AsyncStream.makeStream()
    }

    /// The operations of the agent, in order.
    var steps: [Step] { state.withLock { $0.steps } }

    /// The messages that the agent sent, in order.
    var sent: [SignalingMessage] { steps.compactMap { if case .sent(let message) = $0 { message } else { nil } } }

    /// What the next sign-in brings.
    func give(_ servers: [IceServer]) { state.withLock { $0.iceServers = servers } }

    func failConnecting(_ error: SignalingError?) { state.withLock { $0.connectError = error } }
    func failSending(_ error: SignalingError?, once: Bool = false) {
        state.withLock { ($0.sendError, $0.failsOnce) = (error, once) }
    }
    func holdSending(_ latch: Latch) { state.withLock { $0.sendLatch = latch } }

    /// Sends an event of the transport to the agent.
    func happen(_ event: SignalingTransportEvent) { sink.yield(event) }

    /// Delivers any text to the agent.
    func deliver(_ text: String) { sink.yield(.received(text)) }

    /// Delivers a message to the agent.
    func deliver(
        _ body: SignalingMessage.Body, call: String, from: String = "bob", to: String = "alice", generation: Int = 0,
        sentUnixMs: Double = 0, device: String? = nil, extension data: [String: String] = [:]
    ) throws {
        var message = SignalingMessage(
            id: "m", callId: call, from: from, to: to, generation: generation, sentUnixMs: sentUnixMs, body: body)
        message.device = device
        message.extensionData = data
        deliver(try message.encoded())
    }

    @discardableResult
    func connect(as user: String) async throws(SignalingError) -> [IceServer] {
        let error = state.withLock { $0.connectError }
        if let error { throw error }
        return state.withLock { state in
            state.steps.append(.connected(user))
            return state.iceServers
        }
    }

    func send(_ text: String, to user: String) async throws(SignalingError) {
        let (error, latch) = state.withLock { state in
            defer { if state.failsOnce { state.sendError = nil } }
            return (state.sendError, state.sendLatch)
        }
        await latch?.wait()
        if let error { throw error }
        let message: SignalingMessage
        do throws(MalformedMessage) { message = try SignalingMessage(decoding: text) } catch { throw .malformed(error) }
        state.withLock { $0.steps.append(.sent(message)) }
    }

    func renew(token: String) async throws(SignalingError) {
        guard token != "expired" else { throw .signInRefused(code: 410, text: "the token expired") }
        state.withLock { $0.steps.append(.renewed(token)) }
    }

    func checkConnection() async { state.withLock { $0.steps.append(.checked) } }

    func close() async {
        state.withLock { $0.steps.append(.closed) }
        sink.finish()
    }
}
