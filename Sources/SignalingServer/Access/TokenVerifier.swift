internal import CallProtocol
internal import FoundationEssentials
internal import JWTKit

/// Decides whether a token is good, and for whom.
///
/// A pure function of the token, the keys and the time. The signature is checked first: without a good one only the header
/// is read.
public struct TokenVerifier: Sendable {
    let keys: [TokenKey]
    /// The audience that tokens must have; nil: tokens must have none.
    var audience: String?
    /// The issuer that tokens must have; nil: any issuer is accepted.
    var issuer: String?
    /// How far clocks may differ, for `nbf` and `iat` only; there is no tolerance for `exp`.
    private static let leewaySeconds = 60.0

    /// What a good token allows.
    struct Grant: Sendable, Equatable {
        var expiresUnixMs: Int
        /// The users that a user without an account may call; nil for users with an account.
        var mayCall: Set<String>?
        /// The identifier of the token in a ``DenyList``.
        var tokenID: String?
    }

    /// Why a token is refused, in the terms of the protocol.
    public struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        /// 401 no token, 403 a wrong one, 410 an expired one.
        public var code: Int
        /// The reason, for the client.
        public var text: String

        /// The text.
        public var description: String { text }

        static func wrong(_ text: String) -> Refusal { Refusal(code: 403, text: text) }
    }

    init(keys: [TokenKey], audience: String? = nil, issuer: String? = nil) {
        (self.keys, self.audience, self.issuer) = (keys, audience, issuer)
    }

    /// Accepts tokens that any of these keys verifies, and that have no audience.
    ///
    /// - Throws: ``TokenError/unusableKey(file:text:)``.
    public init(keyFiles: [String]) async throws(TokenError) {
        var keys: [TokenKey] = []
        for file in keyFiles { keys.append(try await TokenKey.read(file: file)) }
        self.init(keys: keys)
    }

    /// The user of a good token, who may call `callee` with it.
    public func user(of token: String, calling callee: String) throws(Refusal) -> String {
        let claims = try verifiedClaims(of: token)
        let party = Party(user: claims.sub, device: claims.device ?? Party.defaultDevice)
        let grant = try grant(of: claims, to: party, unixMs: Int(Date().timeIntervalSince1970 * 1_000))
        guard grant.mayCall?.contains(callee) ?? true else { throw .wrong("the token is for calling somebody else") }
        return party.user
    }

    func grant(for token: String?, to party: Party, unixMs: Int) throws(Refusal) -> Grant {
        guard let token, !token.isEmpty else {
            throw Refusal(code: 401, text: "this server requires a token; sign in with one")
        }
        return try grant(of: verifiedClaims(of: token), to: party, unixMs: unixMs)
    }

    private func grant(of claims: TokenClaims, to party: Party, unixMs: Int) throws(Refusal) -> Grant {
        let now = Double(unixMs) / 1_000
        guard claims.exp.isFinite, claims.exp < Double(TokenClaims.latestSeconds), claims.exp >= 0 else {
            throw .wrong("the token's exp is no time")
        }
        guard claims.exp > now else { throw Refusal(code: 410, text: "the token expired; get a new one") }
        guard (claims.nbf ?? 0) <= now + Self.leewaySeconds, (claims.iat ?? 0) <= now + Self.leewaySeconds else {
            throw .wrong("the token is not valid yet; compare the clocks")
        }
        // A server that is not in a token's audience has to refuse it (RFC 7519 section 4.1.3).
        let isMeant = if let audience { claims.aud?.names.contains(audience) == true } else { claims.aud == nil }
        guard isMeant else {
            throw .wrong("the token is for another audience")
        }
        guard issuer == nil || claims.iss == issuer else { throw .wrong("the token is of another issuer") }
        guard claims.sub == party.user else { throw .wrong("the token is for another user") }
        guard claims.device == nil || claims.device == party.device else {
            throw .wrong("the token is for another device")
        }
        return Grant(
            expiresUnixMs: Int(claims.exp * 1_000), mayCall: try Self.callees(claims), tokenID: claims.jti)
    }

    private func verifiedClaims(of token: String) throws(Refusal) -> TokenClaims {
        guard token.utf8.count <= AccessToken.longestBytes else {
            throw .wrong("the token is longer than \(AccessToken.longestBytes) bytes")
        }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
            let header: TokenHeader = Self.decode(headerBytes), header.crit == nil
        else { throw .wrong("the token is no JSON Web Token") }
        let candidates = keys.filter { $0.algorithm.name == header.alg }
        guard !candidates.isEmpty else { throw .wrong("no key of this server has the token's algorithm") }
        let signed = Data("\(parts[0]).\(parts[1])".utf8)
        guard candidates.contains(where: { (try? $0.algorithm.verify(signature, signs: signed)) == true }) else {
            throw .wrong("no key of this server made the token's signature")
        }
        guard let claims: TokenClaims = Self.decode(payload) else {
            throw .wrong("the token lacks a claim, or has one of another type")
        }
        return claims
    }

    private static func callees(_ claims: TokenClaims) throws(Refusal) -> Set<String>? {
        guard claims.anonymous == true else { return nil }
        guard let account = claims.account, SignalingLimits.isName(account) else {
            throw .wrong("an anonymous token names its account")
        }
        guard let names = claims.mayCall, (1...AccessToken.mostCallees).contains(names.count),
            names.allSatisfy(SignalingLimits.isName)
        else { throw .wrong("an anonymous token names 1 to \(AccessToken.mostCallees) users who may be called") }
        guard let issued = claims.iat, claims.exp - issued <= Double(AccessToken.longestAnonymousSeconds) else {
            throw .wrong("an anonymous token lasts \(AccessToken.longestAnonymousSeconds) s at most")
        }
        return Set(names)
    }

    private static func decode<Value: Decodable>(_ json: Data) -> Value? {
        // See Envelope: the decoder traps on deep nesting, and mistakes a NUL for UTF-16.
        guard !json.contains(0), JSONShape(json).depth <= 8 else { return nil }
        return try? JSONDecoder().decode(Value.self, from: json)
    }
}
