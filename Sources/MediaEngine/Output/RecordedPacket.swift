/// One encoded video frame or audio packet on its way into a recording.
struct RecordedPacket: Sendable {
    let codec: Codec
    /// Shared with its other users.
    let buffer: BufferRef
    /// The presentation time on the clock that all pipelines share, in ns.
    let time: UInt64
    /// Its caps, as GStreamer writes them.
    let shape: String
    /// Whether decoding can start here.
    let isKey: Bool

    var kind: MediaKind { codec.kind }
}
