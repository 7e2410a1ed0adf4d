internal import Logging

extension MediaEngine {
    /// The cameras and microphones that are there now, with their formats; cameras first.
    ///
    /// Looks at each camera and asks each sound service, for 10 s at most; what has not answered by then is left out.
    /// A busy camera is listed, too.
    public func devices() async -> [MediaDevice] {
        let list = FoundDevices()
        _ = await Deadline.isMet(.seconds(10)) { await BlockingQueue(label: "devices").listDevices(into: list) }
        return list.devices.sorted { ($0.kind == .video ? 0 : 1, $0.source) < ($1.kind == .video ? 0 : 1, $1.source) }
    }

    /// The most changes that wait for whoever reads ``deviceChanges()``.
    public static let maximumWaitingDeviceChanges = 256

    /// The cameras and microphones as they come and go, beginning with those that are there.
    ///
    /// For one consumer; ends when nobody iterates over it any more. Of more than ``maximumWaitingDeviceChanges`` that wait the oldest is dropped, which the log
    /// says; ``devices()`` has them all. A camera of v4l2 is noticed through udev, a microphone through its sound service;
    /// one that is used by a call is opened again by itself.
    public func deviceChanges() -> AsyncStream<DeviceChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DeviceChange.self, bufferingPolicy: .bufferingNewest(Self.maximumWaitingDeviceChanges))
        guard let monitor = DeviceMonitor() else {
            continuation.finish()
            return stream
        }
        let known = KnownDevices { [logger] change in
            guard case .dropped(let lost) = continuation.yield(change) else { return }
            logger.warning("a change of devices was dropped, since nobody read it in time: \(lost)")
        }
        monitor.watch { known.note($0, isThere: $1) }
        let queue = BlockingQueue(label: "device-monitor")
        continuation.onTermination = { _ in Task { await queue.stop(monitor) } }
        Task { known.note(list: await queue.start(monitor)) }
        return stream
    }
}
