/// Why a source gives nothing.
public enum SourceFault: String, Sendable, Equatable {
    /// There is no such device, file or camera.
    case notFound
    /// Somebody else uses the device.
    case busy
    /// This user has no access to it, or the camera refuses the sign-in.
    case denied
    /// It is there, but cannot be opened or reached.
    case unreachable
    /// It was there and is gone: unplugged, or its server ended.
    case lost
    /// It has come to its end.
    case ended
    /// It is open but gives nothing.
    case silent
    /// What it gives cannot be used.
    case unusable

    /// What the user can do.
    public var advice: String {
        switch self {
        case .notFound: "callagent devices lists what is there"
        case .busy: "end the program that uses it"
        case .denied: "check its permissions (groups video and audio), or the user and password in its URL"
        case .unreachable: "is it switched on, and its address right?"
        case .lost, .ended, .silent: "it is opened again as soon as that is possible"
        case .unusable: "try another format or a pipeline description of your own"
        }
    }
}
