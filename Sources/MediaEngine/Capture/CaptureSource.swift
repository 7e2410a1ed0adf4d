internal import Synchronization

/// One device or test source, captured once and shared by all calls of an agent.
///
/// A device is opened once, whatever sizes and rates of it are asked for: as large and as fast as the largest and fastest of them, and made smaller for
/// the others, never larger. When something larger is asked for than it gives, it is opened anew: a camera for the moment that this takes gives
/// nothing, everything else goes on until the larger pictures come. It becomes smaller again when nobody is fed by it.
///
/// It runs while somebody holds it or a call uses it; starting takes as long as the device needs. A source that fails while it is used
/// (unplugged, its server gone) is replaced by a moving test picture or silence of the same shape, and opened again as soon as that is
/// possible; ``PeerConnectionEvent/Kind/captureLost(_:_:)`` and ``PeerConnectionEvent/Kind/captureRestored(_:)`` tell.
public final class CaptureSource: Sendable {
    /// Sound or picture.
    public let kind: MediaKind
    /// Whether it is made by the machine itself and needs no device.
    public let isSynthetic: Bool
    /// The pitch, when it is a tone.
    public let toneHz: Double?
    private let source: MediaSource
    private let find: @Sendable () -> CaptureDevice
    private let found = Mutex<CaptureDevice?>(nil)

    /// `device` is asked for when the source is used for the first time.
    init(_ source: MediaSource, device: @escaping @Sendable () -> CaptureDevice) {
        self.source = source
        kind = source.kind
        isSynthetic = source.isSynthetic
        toneHz = if case .audio(let source) = source { source.toneHz } else { nil }
        find = device
    }

    /// What feeds it, which pictures and sound of one file share.
    var device: CaptureDevice {
        if let device = found.withLock({ $0 }) { return device }
        let device = find()
        return found.withLock { found in
            found = found ?? device
            return found ?? device
        }
    }

    /// Opens the device and keeps it open until ``release()`` is called as often.
    ///
    /// - Throws: ``MediaError`` when it cannot be opened.
    public func hold() async throws(MediaError) { try await device.hold(source) }

    /// Ends one ``hold()``; the last one closes the device when no call uses it.
    public func release() async { await device.release(source) }

    /// Turns the pictures from the next one on, in all calls that use them; sound has no orientation.
    ///
    /// They stay turned until this is called again, also when the device is closed in between, for as long as anybody has this source. A
    /// quarter turn makes the encoders begin anew with a key frame, since the size changes; nothing is negotiated.
    public func turn(_ orientation: VideoOrientation) async throws(MediaError) {
        try await device.turn(source, orientation)
    }

    /// What was captured last; nil while the device is not open, or has given nothing.
    var latestPicture: OutletBuffer? { get async { await device.latestPicture(source) } }

    /// Whether its device is open.
    var isOpen: Bool { get async { await device.isOpen } }

    /// Feeds a new branch that ends in `proxy`, a `proxysrc` that is playing in the pipeline of a call.
    ///
    /// `onChange` hears when the device goes and comes back. Returns what ``detach(_:)`` takes.
    func attach(
        _ proxy: Element, onChange: @escaping @Sendable (CaptureChange) -> Void = { _ in }
    ) async throws(MediaError) -> Int {
        try await device.attach(proxy, source, onChange)
    }

    func detach(_ branch: Int) async { await device.detach(branch) }
}
