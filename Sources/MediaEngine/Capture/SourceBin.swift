/// A source that was built and is not open yet.
struct SourceBin: Sendable {
    let bin: Element
    /// Where it gives what.
    let pads: [MediaKind: Pad]
    /// The demuxer of a file that is played for ever.
    var loop: Element?
    /// Whether the pictures get a counter and a clock.
    var isStamped = false
}
