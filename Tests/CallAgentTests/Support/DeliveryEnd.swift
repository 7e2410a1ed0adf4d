@testable import CallAgent

/// One agent's delivery, with a clock that the test moves.
struct DeliveryEnd {
    var delivery: Delivery
    private(set) var now = 0
    private var sent = 0

    init(
        _ user: String = "alice", device: String? = nil, isGuaranteed: Bool = false, epoch: Int = 0,
        timing: DeliveryTiming = .init()
    ) {
        delivery = Delivery(user: user, device: device, isGuaranteed: isGuaranteed, epoch: epoch, timing: timing)
    }

    /// Sends something to bob.
    mutating func send(
        _ body: SignalingMessage.Body, to peer: String = "bob", device: String? = nil, call: String = "c1"
    ) -> [Delivery.Action] {
        sent += 1
        var message = SignalingMessage(
            id: "a\(sent)", callId: call, from: delivery.user, to: peer, sentUnixMs: 0, body: body)
        message.device = delivery.device
        message.toDevice = device
        return delivery.send(message, at: now)
    }

    /// Takes a message of the transport.
    mutating func receive(_ message: SignalingMessage) -> [Delivery.Action] { delivery.receive(message, at: now) }

    /// Takes the acknowledgement of message number `number` by a device.
    mutating func hearAck(_ number: Int, from peer: String = "bob", device: String? = nil, call: String = "c1") {
        var ack = SignalingMessage(
            id: "k\(number)", callId: call, from: peer, to: delivery.user, sentUnixMs: 0, body: .ack("a\(number)"))
        ack.device = device
        _ = receive(ack)
    }

    /// Lets time pass without doing anything.
    mutating func pass(_ milliseconds: Int) { now += milliseconds }

    /// Lets time pass and runs what is due in that time.
    mutating func elapse(_ milliseconds: Int) -> [(at: Int, action: Delivery.Action)] {
        let end = now + milliseconds
        var happened: [(Int, Delivery.Action)] = []
        while let next = delivery.nextWake, next <= end {
            now = max(now, next)
            happened += delivery.wake(at: now).map { (now, $0) }
        }
        now = end
        return happened
    }
}

extension [Delivery.Action] {
    /// The messages that are sent, in order.
    var transmitted: [SignalingMessage] { compactMap { if case .transmit(let message) = $0 { message } else { nil } } }
    /// The messages that the calls get, in order.
    var delivered: [SignalingMessage] { compactMap { if case .deliver(let message) = $0 { message } else { nil } } }
    /// The ids of the acknowledged messages.
    var acknowledged: [String] { transmitted.compactMap { if case .ack(let id) = $0.body { id } else { nil } } }
}

extension SignalingMessage {
    /// A numbered message from bob to alice.
    static func ofBob(
        _ sequence: Int?, _ body: Body = .ringing, call: String = "c1", device: String? = nil, forAll: Bool = false
    ) -> SignalingMessage {
        var message = SignalingMessage(
            id: "b\(sequence ?? 0)", callId: call, from: "bob", to: "alice", sentUnixMs: 0, body: body)
        message.sequence = sequence
        message.device = device
        message.toDevice = forAll ? nil : "tv"
        return message
    }
}
