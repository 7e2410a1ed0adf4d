/// One connection, numbered in the order of arrival.
///
/// A number is never used again.
struct ConnectionID: Sendable, Hashable {
    let number: UInt64
}
