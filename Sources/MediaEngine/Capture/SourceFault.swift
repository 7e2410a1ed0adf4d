/// Why a source delivers nothing.
public enum SourceFault: String, Sendable, Equatable {
    /// There is no such device, file or camera.
    case notFound
    /// Another program uses the device.
    case busy
    /// This user has no access to it, or the camera refuses the login.
    case denied
    /// It is there, but cannot be opened or reached.
    case unreachable
    /// It is gone: unplugged, or its server ended.
    case lost
    /// Its stream ended.
    case ended
    /// It is open but delivers nothing.
    case silent
    /// Its data cannot be used.
    case unusable

    /// What the user can do about `source`, which is written as on the command line.
    public func advice(for source: String) -> String {
        switch self {
        case .notFound where source.hasPrefix("file:"): "check its path"
        case .denied where source.hasPrefix("file:"): "check its permissions"
        case .notFound: "callagent devices lists the devices"
        case .busy: "end the program that uses it"
        case .denied: "check its permissions (groups video and audio), or the user and password in its URL"
        case .unreachable: "is it switched on, and its address right?"
        case .lost, .ended, .silent: "it is opened again as soon as that is possible"
        case .unusable: "try another format or a pipeline description of your own"
        }
    }
}
