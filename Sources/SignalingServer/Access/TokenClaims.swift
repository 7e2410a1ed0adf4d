/// The claims of an access token, as its JSON has them.
struct TokenClaims: Codable, Sendable, Equatable {
    /// Beyond this, in the year 2100, a time is a mistake.
    static let latestSeconds: Int64 = 4_102_444_800

    var sub: String
    var iss: String?
    var aud: Audience?
    var jti: String?
    var exp: Double
    var nbf: Double?
    var iat: Double?
    var device: String?
    var anonymous: Bool?
    var account: String?
    var mayCall: [String]?
}

extension TokenClaims {
    /// For whom a token is meant: one name or several (RFC 7519 section 4.1.3).
    struct Audience: Codable, Sendable, Equatable {
        var names: [String]

        init(_ name: String) { names = [name] }

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            names = if let name = try? value.decode(String.self) { [name] } else { try value.decode([String].self) }
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            if names.count == 1 { try value.encode(names[0]) } else { try value.encode(names) }
        }
    }
}

/// What is read of a token's header.
struct TokenHeader: Decodable, Sendable {
    var alg: String
    /// Extensions that must be understood (RFC 7515 section 4.1.11); none is.
    var crit: [String]?
}
