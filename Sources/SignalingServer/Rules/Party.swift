/// One device of one user: what a connection is signed in as.
struct Party: Sendable, Hashable {
    /// The device of a client that names none.
    static let defaultDevice = "main"

    var user: String
    var device: String
}
