/// A camera or microphone came or went.
public enum DeviceChange: Sendable, Equatable {
    /// It is there.
    case added(MediaDevice)
    /// It is there no more.
    case removed(MediaDevice)
}
