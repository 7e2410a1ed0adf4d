/// Sizes and rates of a device that several ask for.
extension VideoFormat {
    /// Whether pictures of this size and rate can be made out of it by leaving something out.
    func contains(_ other: VideoFormat) -> Bool {
        width >= other.width && height >= other.height && framesPerSecond >= other.framesPerSecond
    }

    /// The least that contains both.
    func union(_ other: VideoFormat) -> VideoFormat {
        VideoFormat(
            width: max(width, other.width), height: max(height, other.height),
            framesPerSecond: max(framesPerSecond, other.framesPerSecond))
    }

    /// The most that both contain.
    func limited(to other: VideoFormat) -> VideoFormat {
        VideoFormat(
            width: min(width, other.width), height: min(height, other.height),
            framesPerSecond: min(framesPerSecond, other.framesPerSecond))
    }

    /// The same, or as much of it in the same shape as there is in `limit`.
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
