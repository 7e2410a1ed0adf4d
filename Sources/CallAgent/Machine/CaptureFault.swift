/// Why a source delivers nothing to send.
public struct CaptureFault: Sendable, Equatable {
    /// The medium of the source.
    public enum Medium: String, Sendable, Equatable, CaseIterable, Codable {
        case audio, video
    }

    /// What is wrong, for programs.
    ///
    /// The raw values are the names in the program's JSON.
    public enum Cause: String, Sendable, Equatable, CaseIterable, Codable {
        /// There is no such device, file or camera.
        case notFound
        /// Another program uses the device.
        case busy
        /// This user has no access to it, or the camera refuses the sign-in.
        case denied
        /// It is there, but cannot be opened or reached.
        case unreachable
        /// It is gone: unplugged, or its server ended.
        case lost
        /// It has reached its end.
        case ended
        /// It is open but delivers nothing.
        case silent
        /// Its data cannot be used.
        case unusable
        /// Something else, such as a plugin that is not installed.
        case other
    }

    /// The medium that is missing in the call.
    public var medium: Medium
    /// The source in the notation of the command line, without the user and password of a URL; nil when the fault is not about a source.
    public var source: String?
    /// What is wrong.
    public var cause: Cause
    /// What is wrong, as text: GStreamer's own message where there is one.
    public var text: String
    /// What the user can do; empty when ``text`` already says it.
    public var remedy: String

    /// Makes a fault.
    public init(medium: Medium, source: String? = nil, cause: Cause, text: String, remedy: String = "") {
        self.medium = medium
        self.source = source
        self.cause = cause
        self.text = text
        self.remedy = remedy
    }
}
