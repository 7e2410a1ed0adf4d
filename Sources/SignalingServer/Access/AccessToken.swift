internal import CallProtocol
internal import FoundationEssentials
internal import JWTKit

/// What lets a user sign in for a time: a JSON Web Token (RFC 7519) with the claims of `docs/signaling.md`.
///
/// Whoever holds the key makes tokens, with this type or with any JWT library; the server only checks them.
public struct AccessToken: Sendable, Equatable {
    /// The longest token that a server takes, in bytes.
    public static let longestBytes = 4_096
    /// The longest life of a token for a user without an account, in seconds.
    public static let longestAnonymousSeconds = 600
    /// The most users that one anonymous token allows to call.
    public static let mostCallees = 16
    /// The longest audience, issuer and identifier, in bytes.
    public static let longestTextBytes = 256

    /// The user who may sign in (`sub`).
    public var user: String
    /// The only device that may sign in (`device`); nil allows any.
    public var device: String?
    /// When it begins to count, in seconds since 1970 (`iat`).
    public var issuedUnixSeconds: Int
    /// When it ends, in seconds since 1970 (`exp`).
    public var expiresUnixSeconds: Int
    /// Set for a user without an account.
    public var anonymous: Anonymous?
    /// The servers that the token is for, by the name that they were given (`aud`); nil for those without one.
    public var audience: String?
    /// Who makes it (`iss`).
    public var issuer: String?
    /// What a server's deny list names it by (`jti`); a random one unless it is set, since a token without one can only be denied
    /// together with its user.
    public var identifier: String

    /// What somebody without an account may do: call, and only whom the token names.
    public struct Anonymous: Sendable, Equatable {
        /// The account that answers for the token, a name.
        public var account: String
        /// The users who may be called.
        public var mayCall: [String]

        /// Names the account and whom it lets call.
        public init(account: String, mayCall: [String]) {
            self.account = account
            self.mayCall = mayCall
        }
    }

    /// Describes a token that counts from now on.
    ///
    /// - Parameters:
    ///   - lifetime: at least a second; ten minutes at most for anonymous ones.
    public init(user: String, device: String? = nil, lifetime: Duration, anonymous: Anonymous? = nil) {
        self.user = user
        self.device = device
        issuedUnixSeconds = Int(Date().timeIntervalSince1970)
        // A token beyond the year 2099 is refused below, like one for no time at all.
        let seconds = min(max(lifetime.components.seconds, 0), TokenClaims.latestSeconds)
        expiresUnixSeconds = issuedUnixSeconds + Int(seconds)
        var generator = SystemRandomNumberGenerator()
        identifier = String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
        self.anonymous = anonymous
    }

    /// The token as text.
    ///
    /// - Throws: ``TokenError/invalid(field:text:)`` for what a server would refuse, ``TokenError/cannotSign`` with a public
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
