/// Waits until a note of this device has come back from the broker.
///
/// Then the broker delivers to this user, and has delivered what it had before.
struct NoteBarrier: Sendable {
    /// The number of the last note that was published.
    private(set) var published = 0
    /// The number of the last one that came back.
    private var back = 0
    private var waiting: [(number: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// The number of the next note.
    mutating func next() -> Int {
        published += 1
        return published
    }

    /// `continuation` is resumed when this note, or a later one, comes back.
    mutating func wait(for number: Int, _ continuation: CheckedContinuation<Void, Never>) {
        guard number > back else { return continuation.resume() }
        waiting.append((number, continuation))
    }

    /// This note has come back.
    mutating func reached(_ number: Int) {
        back = max(back, number)
        release { $0 <= number }
    }

    /// The connection is gone: nobody waits any more.
    mutating func release() { release { _ in true } }

    private mutating func release(_ isOver: (Int) -> Bool) {
        for waiter in waiting where isOver(waiter.number) { waiter.continuation.resume() }
        waiting.removeAll { isOver($0.number) }
    }
}
