/// What the ``Switchboard`` wants done; in the order given.
enum SwitchboardAction: Sendable, Equatable {
    /// Hand the message that was just received on, unchanged.
    case forward(to: ConnectionID)
    /// Send a message of the server's own.
    case send(ServerMessage, to: ConnectionID)
    /// Close with status 1008 after everything that was sent.
    case close(ConnectionID, text: String)
    /// Close with status 1008 and read nothing more: the client costs more than it may.
    case throwOut(ConnectionID, text: String)
    /// Report when so many milliseconds have passed; replaces an earlier timer of that kind.
    case schedule(SessionTimer, for: ConnectionID, afterMs: Int)
}
