/// A source that is built but not open yet.
struct SourceBin: Sendable {
    let bin: Element
    /// Its output pads, by kind.
    let pads: [MediaKind: Pad]
    /// The demuxer of a file that is played in a loop.
    var loop: Element?
    /// Whether a counter and a clock are burnt into the frames.
    var isStamped = false
}
