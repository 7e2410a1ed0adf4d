/// A raw video frame for the application, in its own memory.
public struct VideoFrame: Sendable, Equatable {
    /// The position of a plane.
    public struct Plane: Sendable, Equatable {
        /// The offset of its first row in ``VideoFrame/bytes``.
        public let offset: Int
        /// From the start of a row to the start of the next: GStreamer pads rows to a multiple of 4.
        public let bytesPerRow: Int
    }

    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    /// The arrangement of the bytes.
    public let pixelFormat: PixelFormat
    /// The planes in the order of the pixel format; with 4:2:0 the chroma planes have half as many rows, rounded up.
    public let planes: [Plane]
    /// When to present it, on the machine's monotonic clock, which ``AudioSamples`` and all calls of this machine share.
    public let time: Duration
    /// The bytes of all planes.
    public let bytes: [UInt8]
}
