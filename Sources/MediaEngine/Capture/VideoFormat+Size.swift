/// Combines the sizes and rates that several users request of a device.
extension VideoFormat {
    /// Whether this size and rate can be made from it by reduction alone.
    func contains(_ other: VideoFormat) -> Bool {
        width >= other.width && height >= other.height && framesPerSecond >= other.framesPerSecond
    }

    /// The smallest format that contains both.
    func union(_ other: VideoFormat) -> VideoFormat {
        VideoFormat(
            width: max(width, other.width), height: max(height, other.height),
            framesPerSecond: max(framesPerSecond, other.framesPerSecond))
    }

    /// The largest format that both contain.
    func limited(to other: VideoFormat) -> VideoFormat {
        VideoFormat(
            width: min(width, other.width), height: min(height, other.height),
            framesPerSecond: min(framesPerSecond, other.framesPerSecond))
    }

    /// This format, or the largest one of the same shape within `limit`.
    func fitted(into limit: VideoFormat) -> VideoFormat {
        var fitted = self
        let scale = min(1, Double(limit.width) / Double(width), Double(limit.height) / Double(height))
        if scale < 1 {
            fitted.width = max(2, Int(Double(width) * scale) & ~1)
            fitted.height = max(2, Int(Double(height) * scale) & ~1)
        }
        fitted.framesPerSecond = min(framesPerSecond, limit.framesPerSecond)
        return fitted
    }
}
