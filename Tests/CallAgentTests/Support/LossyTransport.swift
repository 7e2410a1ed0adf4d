import CallAgent
import Synchronization

/// A transport that loses each message the first time and delivers it twice after that.
final class LossyTransport: SignalingTransport {
    let events: AsyncStream<SignalingTransportEvent>
    private let inner: InMemorySignaling.Transport
    private let seen = Mutex<Set<String>>([])

    init(_ inner: InMemorySignaling.Transport) {
        self.inner = inner
        events = inner.events
    }

    @discardableResult
    func connect(as user: String) async throws(SignalingError) -> [IceServer] { try await inner.connect(as: user) }

    func send(_ text: String, to user: String) async throws(SignalingError) {
        let message: SignalingMessage
        do throws(MalformedMessage) { message = try SignalingMessage(decoding: text) } catch { throw .malformed(error) }
        // A message is lost the first time. An acknowledgement is not: it has a new id each time and would never be delivered.
        let isFirst = seen.withLock { $0.insert("\(message.callId) \(message.id)").inserted }
        if isFirst, message.sequence != nil { return }
        try await inner.send(text, to: user)
        try await inner.send(text, to: user)
    }

    func close() async { await inner.close() }
}

extension DeliveryTiming {
    /// All messages are repeated each time the manual clock wakes a sleeper of 1 ms.
    static let manual = {
        var timing = DeliveryTiming()
        (timing.firstRetryMs, timing.longestRetryMs) = (0, 0)
        return timing
    }()
}
