/// A raw picture for the application, in memory of its own.
public struct VideoFrame: Sendable, Equatable {
    /// Where a plane is.
    public struct Plane: Sendable, Equatable {
        /// Of its first row, in ``VideoFrame/bytes``.
        public let offset: Int
        /// From the begin of a row to that of the next: GStreamer fills rows up to a multiple of 4.
        public let bytesPerRow: Int
    }

    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    /// The arrangement of the bytes.
    public let pixelFormat: PixelFormat
    /// In the order of the pixel format; of 4:2:0 those of the differences have half as many rows, rounded up.
    public let planes: [Plane]
    /// When it is to be presented, on the machine's monotonic clock, which ``AudioSamples`` and all calls of this machine share.
    public let time: Duration
    /// All planes.
    public let bytes: [UInt8]
}
