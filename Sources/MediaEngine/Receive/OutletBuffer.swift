/// A raw picture or sound that may be seen or heard.
struct OutletBuffer: Sendable {
    /// Shared with whoever else uses it.
    let buffer: BufferRef
    let caps: CapsRef
    /// When it is to be presented, on the clock that all pipelines share, in ns.
    let time: UInt64

    /// The same for people.
    var moment: Duration { .nanoseconds(Int64(clamping: time)) }
}
