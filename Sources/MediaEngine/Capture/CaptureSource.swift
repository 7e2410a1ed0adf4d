internal import Synchronization

/// One device or test source, captured once and shared by all calls of an agent.
///
/// A device is opened once, in the largest size and rate that any user requests. Smaller requests get reduced video; video is never enlarged. When a
/// user requests more than the device gives, it is reopened: a camera delivers nothing for that moment, every other source continues until the larger
/// video arrives. The format becomes smaller again when no call uses it.
///
/// The source runs while it is held or a call uses it; starting takes as long as the device needs. If it fails during use (unplugged, its server
/// gone), a moving test pattern or silence of the same shape replaces it, and it is reopened as soon as possible. The events
/// ``PeerConnectionEvent/Kind/captureLost(_:_:)`` and ``PeerConnectionEvent/Kind/captureRestored(_:)`` report this.
public final class CaptureSource: Sendable {
    /// Audio or video.
    public let kind: MediaKind
    /// Whether this machine generates it, without a device.
    public let isSynthetic: Bool
    /// The pitch in Hz, if it is a tone.
    public let toneHz: Double?
    /// The encoders that several calls share.
    let encoders = SharedEncoders()
    private let source: MediaSource
    private let find: @Sendable () -> CaptureDevice
    private let found = Mutex<CaptureDevice?>(nil)

    /// `device` runs when the source is used for the first time.
    init(_ source: MediaSource, device: @escaping @Sendable () -> CaptureDevice) {
        self.source = source
        kind = source.kind
        isSynthetic = source.isSynthetic
        toneHz = if case .audio(let source) = source { source.toneHz } else { nil }
        find = device
    }

    /// The device behind it, shared by video and audio of one file.
    var device: CaptureDevice {
        if let device = found.withLock({ $0 }) { return device }
        let device = find()
        return found.withLock { found in
            found = found ?? device
            return found ?? device
        }
    }

    /// Opens the device and keeps it open until ``release()`` was called as often.
    ///
    /// - Throws: ``MediaError`` when it cannot be opened.
    public func hold() async throws(MediaError) { try await device.hold(source) }

    /// Ends one ``hold()``; the last one closes the device when no call uses it.
    public func release() async { await device.release(source) }

    /// Turns the frames from the next one on, in all calls that send them; audio has no orientation.
    ///
    /// The orientation stays until the next call of this method, even if the device closes in between, for as long as the source exists. A quarter
    /// turn changes the size, so encoders restart with a key frame; nothing is negotiated.
    public func turn(_ orientation: VideoOrientation) async throws(MediaError) {
        try await device.turn(source, orientation)
    }

    /// The last captured frame; nil while the device is not open or has not delivered one.
    var latestFrame: OutletBuffer? { get async { await device.latestFrame(source) } }

    /// Whether its device is open.
    var isOpen: Bool { get async { await device.isOpen } }

    /// Feeds a new branch that ends in `proxy`, a `proxysrc` that is playing in the pipeline of a call.
    ///
    /// `onChange` runs when the device is lost and when it is back. Returns the number for ``detach(_:)``.
    func attach(
        _ proxy: Element, onChange: @escaping @Sendable (CaptureChange) -> Void = { _ in }
    ) async throws(MediaError) -> Int {
        try await device.attach(proxy, source, onChange)
    }

    func detach(_ branch: Int) async { await device.detach(branch) }
}
