internal import CallAgent

/// Whom the application watches.
struct Watch {
    enum Whom: Sendable, Equatable {
        case everybody
        /// Valid names.
        case named([String])
    }

    let number: Int
    let whom: Whom
    let inbox: AsyncStream<Presence>.Continuation

    /// What the server is told; names need no escaping.
    static func request(_ whom: Whom) -> String {
        let users =
            switch whom {
            case .everybody: #""*""#
            case .named(let names): "[" + names.map { "\"\($0)\"" }.joined(separator: ",") + "]"
            }
        return #"{"v":1,"type":"watch","users":\#(users)}"#
    }
}
