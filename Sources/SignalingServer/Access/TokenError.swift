/// Why a key cannot be used, or a token cannot be made.
public enum TokenError: Error, Sendable, Equatable {
    /// The key file cannot be read or holds no key.
    case unusableKey(file: String, text: String)
    /// The key is a public key, which can only verify.
    case cannotSign
    /// A field of an ``AccessToken`` is out of bounds.
    case invalid(field: String, text: String)
}

extension TokenError: CustomStringConvertible {
    /// One line: the problem, its cause and what to do.
    public var description: String {
        switch self {
        case .unusableKey(let file, let text): "cannot use the key file \(file): \(text)"
        case .cannotSign: "cannot sign a token with a public key; use the private key or the shared secret"
        case .invalid(let field, let text): "cannot make the token: \(field) \(text)"
        }
    }
}
