internal import CallProtocol
internal import FoundationEssentials

/// The tokens and the users that may not sign in although their tokens are good.
///
/// A text with one entry per line: `jti IDENTIFIER` or `sub USER`. Empty lines and lines that begin with `#` are ignored.
struct DenyList: Sendable, Equatable {
    /// The longest text, in bytes.
    static let longestBytes = 1_048_576

    /// The text that the server sends to denied clients.
    static let refusal = "the token was denied"

    /// The error in a malformed text.
    struct Mistake: Error, Equatable {
        var text: String
    }

    private(set) var tokenIDs: Set<String> = []
    private(set) var users: Set<String> = []

    /// The list that denies nobody.
    init() {}

    init(_ text: some Collection<UInt8>) throws(Mistake) {
        guard text.count <= Self.longestBytes else {
            throw Mistake(text: "it is longer than \(Self.longestBytes) bytes")
        }
        for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }.map {
                String(decoding: $0, as: UTF8.self)
            }
            guard let kind = words.first, !kind.hasPrefix("#") else { continue }
            switch (kind, words.count) {
            case ("jti", 2) where AccessToken.isText(words[1]): tokenIDs.insert(words[1])
            case ("sub", 2) where SignalingLimits.isName(words[1]): users.insert(words[1])
            default: throw Mistake(text: "its line \(index + 1) is neither 'jti IDENTIFIER' nor 'sub USER'")
            }
        }
    }

    /// Whether the list denies the user or the token.
    func denies(_ user: String, tokenID: String?) -> Bool {
        users.contains(user) || tokenID.map(tokenIDs.contains) == true
    }
}
