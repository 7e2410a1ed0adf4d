/// A raw video frame or audio buffer of an outlet.
struct OutletBuffer: Sendable {
    /// Shared with its other users.
    let buffer: BufferRef
    let caps: CapsRef
    /// The presentation time on the clock that all pipelines share, in ns.
    let time: UInt64

    /// ``time`` as a duration.
    var moment: Duration { .nanoseconds(Int64(clamping: time)) }
}
