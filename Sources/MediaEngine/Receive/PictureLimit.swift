internal import Synchronization

/// Bounds the size of the pictures that a peer has this end decode: a key frame of a few bytes can ask for gigabytes.
///
/// Not every depayloader knows the size; of the others the first picture is decoded, and no more.
final class PictureLimit: Sendable {
    /// The most pixels of a picture.
    static let maximumPixels = 4_096 * 4_096

    private let isExceeded = Mutex(false)
    private let onExcess: @Sendable (_ width: Int, _ height: Int) -> Void

    /// `onExcess` hears once, on a streaming thread.
    init(onExcess: @escaping @Sendable (_ width: Int, _ height: Int) -> Void) { self.onExcess = onExcess }

    /// Lets nothing through `pad` any more once larger pictures are announced there, or at another pad that is watched.
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
