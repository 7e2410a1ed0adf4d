/// One coded picture or packet of sound on its way into a recording.
struct RecordedPacket: Sendable {
    let kind: MediaKind
    /// Shared with whoever else uses it.
    let buffer: BufferRef
    /// When it is to be presented, on the clock that all pipelines share, in ns.
    let time: UInt64
    /// Its caps, as GStreamer writes them.
    let shape: String
    /// Whether what follows can be decoded from here on.
    let isKey: Bool
}
