internal import LocalNetwork

/// The peer's candidates with a name instead of an address, while the names are looked up.
///
/// Browsers hide private addresses behind names that only the local network knows (draft-ietf-mmusic-mdns-ice-candidates).
struct NamedCandidates {
    private var lookups: [String: Task<String?, Never>] = [:]
    private var waiting = 0
    private var hasHeldEnd = false

    /// How many names were looked up.
    var nameCount: Int { lookups.count }

    /// How many names of one peer are looked up; candidates with further names are passed over.
    static let maximumNames = 16

    /// Begins to look up the name of a candidate.
    ///
    /// - Returns: The candidate with the address, or nil without one; nil at once when there were too many names.
    mutating func lookUp(
        _ candidate: IceCandidate, _ addresses: @escaping @Sendable (String) async -> [String]
    ) -> Task<IceCandidate?, Never>? {
        guard let name = candidate.multicastName else { return nil }
        guard lookups[name] != nil || lookups.count < Self.maximumNames else { return nil }
        let lookup = lookups[name] ?? Task { Self.choice(of: await addresses(name)) }
        lookups[name] = lookup
        waiting += 1
        return Task { await lookup.value.map(candidate.replacingAddress) }
    }

    /// Whether the end of the candidates has to wait for names; ``finishOne()`` then tells when to add it.
    mutating func holdEnd() -> Bool {
        hasHeldEnd = waiting > 0
        return hasHeldEnd
    }

    /// A lookup is over.
    ///
    /// - Returns: Whether the end of the candidates waited for it.
    mutating func finishOne() -> Bool {
        waiting -= 1
        guard waiting == 0, hasHeldEnd else { return false }
        hasHeldEnd = false
        return true
    }

    /// The address that is used: the first IPv6 one, else the first IPv4 one, as the draft's section 3.2.1 demands.
    ///
    /// Link-local addresses are left out, as those of this end are.
    static func choice(of addresses: [String]) -> String? {
        let usable = addresses.filter { LocalAddresses.isNumeric($0) && !LocalAddresses.isLinkLocal($0) }
        return usable.first { $0.contains(":") } ?? usable.first
    }
}
