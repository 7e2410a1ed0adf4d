/// Why a source gives nothing that is to be sent.
public struct CaptureFault: Sendable, Equatable {
    /// What it is a source of.
    public enum Medium: String, Sendable, Equatable, CaseIterable, Codable {
        case audio, video
    }

    /// What is wrong, for programs.
    ///
    /// Raw values are the names in the program's JSON and frozen.
    public enum Cause: String, Sendable, Equatable, CaseIterable, Codable {
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
        /// Something else, such as a plugin that is not installed.
        case other
    }

    /// What is missing in the call.
    public var medium: Medium
    /// As the command line writes sources, without the user and password of a URL; nil when the fault is none of a source's own.
    public var source: String?
    /// What is wrong.
    public var cause: Cause
    /// What is wrong in words, GStreamer's own where it has some.
    public var text: String
    /// What the user can do; empty when ``text`` says it.
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
