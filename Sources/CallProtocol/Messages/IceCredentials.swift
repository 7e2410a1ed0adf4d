/// The user name fragment and the password of an ICE agent (RFC 8445 section 5.3), as descriptions have them.
package struct IceCredentials: Sendable, Equatable {
    package var fragment: String
    package var password: String

    /// The attribute of the fragment in a description, up to its value.
    package static let fragmentPrefix = "a=ice-ufrag:"
    /// The attribute of the password in a description, up to its value.
    package static let passwordPrefix = "a=ice-pwd:"
    /// The most candidates that are read of a description.
    private static let maximumCandidates = 64

    /// Makes credentials of these texts.
    package init(fragment: String, password: String) { (self.fragment, self.password) = (fragment, password) }

    /// The first credentials among the lines: with BUNDLE all m-lines have the same.
    ///
    /// Nil without any.
    package init?(in lines: [some StringProtocol]) {
        func value(_ prefix: String) -> String? {
            lines.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        }
        guard let fragment = value(Self.fragmentPrefix), let password = value(Self.passwordPrefix) else { return nil }
        self.init(fragment: fragment, password: password)
    }

    /// Whether they are within the limits of RFC 8839 section 5.4 and of the call's protocol.
    package var isValid: Bool {
        SignalingLimits.isIceText(fragment, atLeast: 4) && SignalingLimits.isIceText(password, atLeast: 22)
    }

    /// What a message says of the ICE restart with this number that has these credentials.
    package func parameters(restart: Int) -> SignalingMessage.IceParameters {
        .init(restart: restart, fragment: fragment, password: password)
    }

    /// The candidates among the lines, without `a=`; each one once, since m-lines of one transport may repeat them.
    package static func candidates(in lines: [some StringProtocol]) -> [String] {
        var seen: Set<String> = []
        let texts = lines.filter { $0.hasPrefix("a=candidate:") }.map { String($0.dropFirst("a=".count)) }
        return Array(texts.filter { seen.insert($0).inserted }.prefix(maximumCandidates))
    }

    /// The candidates as messages; each names these credentials, by which the receiver tells those of a restart apart.
    package func messages(of candidates: [String]) -> [SignalingMessage.Body] {
        candidates.map { candidate in
            let isNamed = candidate.contains(" ufrag ")
            return .candidate(.init(candidate: isNamed ? candidate : "\(candidate) ufrag \(fragment)", mLine: 0))
        }
    }
}
