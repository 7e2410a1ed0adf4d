/// Which devices of a user are signed in.
public struct Presence: Sendable, Equatable {
    /// The user.
    public var user: String
    /// The devices, sorted; empty while the user is offline.
    public var devices: [String]

    /// Describes the presence of a user.
    public init(user: String, devices: [String]) {
        self.user = user
        self.devices = devices
    }
}
