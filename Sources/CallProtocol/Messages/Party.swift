/// One device of one user: what a connection is signed in as.
package struct Party: Sendable, Hashable {
    /// The device of a client that names none.
    package static let defaultDevice = "main"

    package var user: String
    package var device: String

    package init(user: String, device: String) {
        self.user = user
        self.device = device
    }
}
