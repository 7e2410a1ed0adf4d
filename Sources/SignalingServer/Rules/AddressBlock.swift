/// A block of addresses with the same prefix (`192.0.2.0/24`, `2001:db8::/32`), or a single address.
struct AddressBlock: Sendable, Hashable {
    private let base: IPAddress
    private let bits: Int

    /// Reads `ADDRESS` or `ADDRESS/BITS`; nil for everything else.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let base = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        let longest = base.bytes.count * 8
        guard let bits = parts.count == 2 ? Int(parts[1]) : longest, (0...longest).contains(bits) else { return nil }
        self.base = base
        self.bits = bits
    }

    func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == base.bytes.count else { return false }
        let whole = bits / 8
        guard address.bytes.prefix(whole) == base.bytes.prefix(whole) else { return false }
        return bits % 8 == 0 || (address.bytes[whole] ^ base.bytes[whole]) >> (8 - bits % 8) == 0
    }
}
