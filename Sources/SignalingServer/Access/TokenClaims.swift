/// The claims of an access token, as its JSON has them.
struct TokenClaims: Codable, Sendable, Equatable {
    /// Beyond this, in the year 2100, a time is a mistake.
    static let latestSeconds: Int64 = 4_102_444_800

    var sub: String
    var exp: Double
    var nbf: Double?
    var iat: Double?
    var device: String?
    var anonymous: Bool?
    var account: String?
    var mayCall: [String]?
}

/// What is read of a token's header.
struct TokenHeader: Decodable, Sendable {
    var alg: String
    /// Extensions that must be understood (RFC 7515 section 4.1.11); none is.
    var crit: [String]?
}
