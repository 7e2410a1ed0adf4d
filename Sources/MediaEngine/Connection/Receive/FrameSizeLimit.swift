internal import Synchronization

/// Limits the size of the frames that this end decodes: a peer's key frame of a few bytes can require gigabytes.
///
/// Not every depayloader knows the size; after one that does not, the first frame is decoded, and no more.
final class FrameSizeLimit: Sendable {
    /// The maximum number of pixels of a frame.
    static let maximumPixels = 4_096 * 4_096

    private let isExceeded = Mutex(false)
    private let onExcess: @Sendable (_ width: Int, _ height: Int) -> Void

    /// `onExcess` is called once, on a streaming thread.
    init(onExcess: @escaping @Sendable (_ width: Int, _ height: Int) -> Void) { self.onExcess = onExcess }

    /// Drops everything at `pad` once larger frames are announced there, or at another watched pad.
    func watch(_ pad: Pad) {
        pad.refuseCaps { [self] in excludes($0) }
        pad.probe { [self] _ in isExceeded.withLock { $0 } ? .drop : .pass }
    }

    private func excludes(_ caps: PropertyValue) -> Bool {
        guard let fields = caps.fields, let width = fields["width"]?.intValue, let height = fields["height"]?.intValue,
            // Both are GStreamer's 32-bit numbers.
            width * height > Self.maximumPixels
        else { return isExceeded.withLock { $0 } }
        let isFirst = isExceeded.withLock { isExceeded in
            defer { isExceeded = true }
            return !isExceeded
        }
        if isFirst { onExcess(width, height) }
        return true
    }
}
