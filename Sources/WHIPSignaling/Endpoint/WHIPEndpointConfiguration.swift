public import CallProtocol

/// The settings of a ``WHIPEndpoint``.
public struct WHIPEndpointConfiguration: Sendable {
    /// The address or host name to listen on.
    public var host: String
    /// The port to listen on; 0 lets the system choose a free one.
    public var port: Int
    /// The certificate of the endpoint; nil listens without TLS.
    public var tls: TLSFiles?
    /// Returns the user that a bearer token is for; throws if the token is not good, with an error whose description the client gets.
    ///
    /// Nil: no token is needed, and every client is ``guest``. Then requests of web pages are refused, since any page that a user of this machine opens could
    /// send them.
    public var user: (@Sendable (_ token: String) async throws -> String)?
    /// STUN and TURN servers for the clients, who get their credentials, too: all of them without ``user``.
    public var iceServers: [IceServer] = []
    /// How long a session may ring before its client gets status 504; 10 minutes at most.
    public var ringTimeout = Duration.seconds(30)
    /// How long a request may take to arrive; 1 ms to an hour.
    public var requestLimit = Duration.seconds(10)
    /// The most connections at a time; further ones are closed at once.
    ///
    /// A client needs one while it waits for an answer, none during its session.
    public var connections = 256

    /// The name of a client without a token.
    public static let guest = "guest"

    /// A certificate and its key.
    public struct TLSFiles: Sendable, Equatable {
        /// The certificate chain in PEM, the endpoint's own certificate first.
        public var certificateChainFile: String
        /// The private key in PEM, without a password.
        public var privateKeyFile: String

        /// Names the two files.
        public init(certificateChainFile: String, privateKeyFile: String) {
            self.certificateChainFile = certificateChainFile
            self.privateKeyFile = privateKeyFile
        }
    }

    /// Settings for an endpoint at this address; with port 0 the system chooses the port.
    public init(host: String = "127.0.0.1", port: Int = 8_889) { (self.host, self.port) = (host, port) }
}
