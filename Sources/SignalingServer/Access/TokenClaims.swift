/// The claims of an access token, as in its JSON.
struct TokenClaims: Codable, Sendable, Equatable {
    /// The start of the year 2100: later times are invalid.
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
    /// The audience of a token: one name or several (RFC 7519 section 4.1.3).
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

/// The fields that the server reads from a token's header.
struct TokenHeader: Decodable, Sendable {
    var alg: String
    /// Extensions that must be understood (RFC 7515 section 4.1.11); the server understands none.
    var crit: [String]?
}
