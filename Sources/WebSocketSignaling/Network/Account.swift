internal import NIOSSL

/// Who signs in where, and with what.
struct Account: Sendable {
    let user: String
    let device: String?
    let url: SignalingURL
    /// Nil for `ws://`.
    let tls: NIOSSLContext?
    /// The token of the last renewal, for those who have no provider.
    var token: String?
    /// What the present sign-in is resumed with.
    var resume: String?
}
