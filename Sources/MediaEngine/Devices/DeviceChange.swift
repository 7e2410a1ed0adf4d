/// A camera or microphone was added or removed.
public enum DeviceChange: Sendable, Equatable {
    /// The device was added.
    case added(MediaDevice)
    /// The device was removed.
    case removed(MediaDevice)
}
