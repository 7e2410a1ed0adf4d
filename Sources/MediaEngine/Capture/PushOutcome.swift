/// The result of pushing a frame or samples.
public enum PushOutcome: String, Sendable, Equatable {
    /// Accepted; sent if the call sends this kind at present.
    case accepted
    /// Dropped: the queue is full, because the application pushes too fast.
    case dropped
    /// No call uses this source at present.
    case refused
}
