internal import CallAgent

internal import NIOSSL

/// The user, the server and the credentials of a sign-in.
struct Account: Sendable {
    let user: String
    let device: String?
    let url: SignalingURL
    /// Nil for `ws://`.
    let tls: NIOSSLContext?
    /// The token of the last renewal, for a transport without a provider.
    var token: String?
    /// The secret that resumes the current sign-in.
    var resume: String?
}
