/// A DTMF digit, as RFC 4733 sends it.
public struct DtmfDigit: Sendable, Hashable {
    /// `0` to `9`, `*`, `#`, or `A` to `D`.
    public let character: Character

    private static let all = Array("0123456789*#ABCD")

    /// Nil for any other character; lower case counts as upper case.
    public init?(_ character: Character) {
        guard let known = Self.all.first(where: { String($0) == character.uppercased() }) else { return nil }
        self.character = known
    }

    /// Makes a digit from an event number (RFC 4733 section 3.2); nil beyond 15.
    init?(event: Int) {
        guard Self.all.indices.contains(event) else { return nil }
        character = Self.all[event]
    }

    /// Its event number.
    var event: Int { Self.all.firstIndex(of: character) ?? 0 }
}
