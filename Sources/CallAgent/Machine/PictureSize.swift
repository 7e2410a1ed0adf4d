/// The size of pictures, in pixels, as they are sent and decoded: after they were turned.
public struct PictureSize: Sendable, Equatable {
    /// In pixels.
    public var width: Int
    /// In pixels.
    public var height: Int

    /// Makes a size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Width by height.
    public var aspectRatio: Double { height > 0 ? Double(width) / Double(height) : 0 }
}
