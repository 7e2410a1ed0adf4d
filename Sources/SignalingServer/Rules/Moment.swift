/// What the clocks say at a fact.
struct Moment: Sendable, Equatable {
    /// The wall clock, for people and for tokens.
    var unixMs: Int
    /// A clock that nobody sets, for rates.
    var uptimeMs: Int
}
