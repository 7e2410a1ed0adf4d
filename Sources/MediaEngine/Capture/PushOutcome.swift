/// What became of a picture or of samples that the application pushed.
public enum PushOutcome: String, Sendable, Equatable {
    /// They will be sent, if the call sends this kind at present.
    case accepted
    /// The queue is full: what is pushed comes faster than it is taken.
    case dropped
    /// No call uses this source at present.
    case refused
}
