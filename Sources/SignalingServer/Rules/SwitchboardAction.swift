/// What the ``Switchboard`` wants done; in the order given.
enum SwitchboardAction: Sendable, Equatable {
    /// Hand the message that was just received on, unchanged.
    case forward(to: ConnectionID)
    /// Send a message of the server's own.
    case send(ServerMessage, to: ConnectionID)
    /// Close with status 1008 after everything that was sent.
    case close(ConnectionID, text: String)
}
