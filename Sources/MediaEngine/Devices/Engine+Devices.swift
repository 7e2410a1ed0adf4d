internal import Logging

extension Engine {
    /// Lists the present cameras and microphones with their formats; cameras first.
    ///
    /// Opens each camera and asks each audio service, for 10 s at most; devices that have not answered by then are left out.
    /// Busy cameras are listed, too.
    public func devices() async -> [MediaDevice] {
        let list = FoundDevices()
        _ = await Deadline.isMet(.seconds(10)) { await BlockingQueue(label: "devices").listDevices(into: list) }
        return list.devices.sorted { ($0.kind == .video ? 0 : 1, $0.source) < ($1.kind == .video ? 0 : 1, $1.source) }
    }

    /// The most changes that wait for the reader of ``deviceChanges()``.
    public static let maximumWaitingDeviceChanges = 256

    /// Reports added and removed cameras and microphones, starting with the present ones.
    ///
    /// For one consumer; ends when it stops iterating. If more than ``maximumWaitingDeviceChanges`` wait, the oldest is dropped and a line is logged;
    /// ``devices()`` has the full list. udev reports v4l2 cameras, and audio services report their microphones. A lost device that a call uses is
    /// reopened automatically.
    public func deviceChanges() -> AsyncStream<DeviceChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DeviceChange.self, bufferingPolicy: .bufferingNewest(Self.maximumWaitingDeviceChanges))
        guard let monitor = DeviceMonitor() else {
            continuation.finish()
            return stream
        }
        let known = KnownDevices { [logger] change in
            guard case .dropped(let lost) = continuation.yield(change) else { return }
            logger.warning("a device change was dropped, because it was not read in time: \(lost)")
        }
        monitor.watch { known.note($0, isThere: $1) }
        let queue = BlockingQueue(label: "device-monitor")
        continuation.onTermination = { _ in Task { await queue.stop(monitor) } }
        Task { known.note(list: await queue.start(monitor)) }
        return stream
    }
}
