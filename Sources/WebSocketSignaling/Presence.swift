internal import CallAgent

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

/// The users that the application watches.
struct Watch {
    enum Whom: Sendable, Equatable {
        case everybody
        /// Valid names.
        case named([String])
    }

    let number: Int
    let whom: Whom
    let inbox: AsyncStream<Presence>.Continuation

    /// The request to the server; names need no escaping.
    static func request(_ whom: Whom) -> String {
        let users =
            switch whom {
            case .everybody: #""*""#
            case .named(let names): "[" + names.map { "\"\($0)\"" }.joined(separator: ",") + "]"
            }
        return #"{"v":1,"type":"watch","users":\#(users)}"#
    }
}
