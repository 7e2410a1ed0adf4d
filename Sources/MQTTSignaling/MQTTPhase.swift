/// Where an ``MQTTSession`` is.
enum MQTTPhase {
    case idle
    /// The first sign-in. Can transition to: connected, idle, closed.
    case connecting
    /// Can transition to: waiting, closed.
    case connected
    /// The connection was lost; the next attempt comes after this pause. Can transition to: reconnecting, closed.
    case waiting(Task<Void, Never>)
    /// Can transition to: connected, waiting, closed.
    case reconnecting
    case closed

    var isClosed: Bool { if case .closed = self { true } else { false } }
}
