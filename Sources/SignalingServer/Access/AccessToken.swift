internal import CallProtocol
internal import FoundationEssentials
internal import JWTKit

/// A token with which a user may sign in until it expires: a JSON Web Token (RFC 7519) with the claims of `docs/signaling.md`.
///
/// The holder of the key makes tokens, with this type or with any JWT library. The server only verifies them.
public struct AccessToken: Sendable, Equatable {
    /// The longest token that a server accepts, in bytes.
    public static let longestBytes = 4_096
    /// The longest lifetime of a token for a user without an account, in seconds.
    public static let longestAnonymousSeconds = 600
    /// The most users that one anonymous token may allow to call.
    public static let mostCallees = 16
    /// The greatest length of the audience, the issuer and the identifier, in bytes.
    public static let longestTextBytes = 256

    /// The user who may sign in (`sub`).
    public var user: String
    /// The only device that may sign in (`device`); nil allows any.
    public var device: String?
    /// When it becomes valid, in seconds since 1970 (`iat`).
    public var issuedUnixSeconds: Int
    /// When it expires, in seconds since 1970 (`exp`).
    public var expiresUnixSeconds: Int
    /// Set for a user without an account.
    public var anonymous: Anonymous?
    /// The audience of the servers that the token is for (`aud`); nil for servers without one.
    public var audience: String?
    /// Who issues the token (`iss`).
    public var issuer: String?
    /// Identifies the token in a server's deny list (`jti`).
    ///
    /// The default is random. A token without an identifier can only be denied together with its user.
    public var identifier: String

    /// The rights of a user without an account: to call only the users that the token lists.
    public struct Anonymous: Sendable, Equatable {
        /// The name of the account that is responsible for the token.
        public var account: String
        /// The users who may be called.
        public var mayCall: [String]

        /// Sets the account and the users who may be called.
        public init(account: String, mayCall: [String]) {
            self.account = account
            self.mayCall = mayCall
        }
    }

    /// Describes a token that is valid from now on.
    ///
    /// - Parameters:
    ///   - lifetime: at least a second; ten minutes at most for anonymous ones.
    public init(user: String, device: String? = nil, lifetime: Duration, anonymous: Anonymous? = nil) {
        self.user = user
        self.device = device
        issuedUnixSeconds = Int(Date().timeIntervalSince1970)
        // `check` refuses a token that ends after the year 2099, and one without a lifetime.
        let seconds = min(max(lifetime.components.seconds, 0), TokenClaims.latestSeconds)
        expiresUnixSeconds = issuedUnixSeconds + Int(seconds)
        var generator = SystemRandomNumberGenerator()
        identifier = String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
        self.anonymous = anonymous
    }

    /// Returns the signed token as text.
    ///
    /// - Throws: ``TokenError/invalid(field:text:)`` for a token that a server would refuse, ``TokenError/cannotSign`` with a public
    ///   key.
    public func signed(with key: TokenKey) throws(TokenError) -> String {
        guard key.canSign else { throw .cannotSign }
        try check()
        let claims = TokenClaims(
            sub: user, iss: issuer, aud: audience.map(TokenClaims.Audience.init), jti: identifier,
            exp: Double(expiresUnixSeconds), nbf: nil, iat: Double(issuedUnixSeconds), device: device,
            anonymous: anonymous.map { _ in true }, account: anonymous?.account, mayCall: anonymous?.mayCall)
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let header = Data(#"{"alg":"\#(key.algorithm.name)","typ":"JWT"}"#.utf8)
            let text = Base64URL.encode(header) + "." + Base64URL.encode(try encoder.encode(claims))
            return text + "." + Base64URL.encode(try key.algorithm.sign(Data(text.utf8)))
        } catch {
            throw .cannotSign
        }
    }

    private func check() throws(TokenError) {
        let name = "is no valid name; use 1 to 64 ASCII letters, digits and ._-@+:"
        try require(SignalingLimits.isName(user), "the user", name)
        try require(device.map(SignalingLimits.isName) ?? true, "the device", name)
        try require(
            expiresUnixSeconds > issuedUnixSeconds && Int64(expiresUnixSeconds) < TokenClaims.latestSeconds,
            "the lifetime", "is less than 1 s or ends after the year 2099")
        for (field, text) in [("the audience", audience), ("the issuer", issuer), ("the identifier", identifier)] {
            guard let text else { continue }
            try require(
                Self.isText(text), field, "is empty, longer than \(Self.longestTextBytes) bytes, or no visible ASCII")
        }
        guard let anonymous else { return }
        try require(SignalingLimits.isName(anonymous.account), "the account", name)
        try require(
            (1...Self.mostCallees).contains(anonymous.mayCall.count)
                && anonymous.mayCall.allSatisfy(SignalingLimits.isName),
            "the list of users who may be called", "has none, more than \(Self.mostCallees), or one that is no name")
        try require(
            expiresUnixSeconds - issuedUnixSeconds <= Self.longestAnonymousSeconds, "the lifetime",
            "of an anonymous token is at most \(Self.longestAnonymousSeconds) s")
    }

    /// Whether `text` can be an audience, an issuer or an identifier.
    static func isText(_ text: String) -> Bool {
        (1...longestTextBytes).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private func require(_ condition: Bool, _ field: String, _ text: String) throws(TokenError) {
        guard condition else { throw .invalid(field: field, text: text) }
    }
}
