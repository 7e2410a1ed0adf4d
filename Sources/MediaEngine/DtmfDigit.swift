/// A key of a telephone, as RFC 4733 sends it.
public struct DtmfDigit: Sendable, Hashable {
    /// `0` to `9`, `*`, `#`, or `A` to `D`.
    public let key: Character

    private static let keys = Array("0123456789*#ABCD")

    /// Nil for what is no key; small letters count as large ones.
    public init?(_ key: Character) {
        guard let known = Self.keys.first(where: { String($0) == key.uppercased() }) else { return nil }
        self.key = known
    }

    /// Reads the number of an event (RFC 4733 section 3.2); nil beyond 15.
    init?(event: Int) {
        guard Self.keys.indices.contains(event) else { return nil }
        key = Self.keys[event]
    }

    /// Its number as an event.
    var event: Int { Self.keys.firstIndex(of: key) ?? 0 }
}
