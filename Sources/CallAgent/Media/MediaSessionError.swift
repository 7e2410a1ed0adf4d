/// An operation on the media failed.
public struct MediaSessionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What the rules make of it.
    public let fault: MediaFault
    /// One line: what, why and what to do.
    public let description: String
    /// Something that this machine lacks (a plugin, a device), rather than something that went wrong.
    public let isMissingPrerequisite: Bool

    /// Makes an error.
    public init(fault: MediaFault, description: String, isMissingPrerequisite: Bool = false) {
        self.fault = fault
        self.description = description
        self.isMissingPrerequisite = isMissingPrerequisite
    }
}
