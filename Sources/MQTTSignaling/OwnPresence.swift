/// The retained message that says that this device is signed in: it is published, and comes back from the broker.
///
/// For one actor.
final class OwnPresence {
    let topic: String
    private let validity: Duration
    private var claim: DeviceClaim
    private var barrier = NoteBarrier()
    /// Whether this device takes calls of its pool; nil without a pool.
    var isFree: Bool?

    init(topic: String, claim: DeviceClaim, validity: Duration) {
        (self.topic, self.claim, self.validity) = (topic, claim, validity)
    }

    /// Publishes a note; returns its number.
    ///
    /// `outcome` gets the reason code of the acknowledgement. `isFirst`: no other came before on this connection.
    @discardableResult
    func publish(
        on connection: BrokerConnection, unixMs: Double, isFirst: Bool = false,
        _ outcome: @escaping BrokerConnection.Outcome = { _ in }
    ) -> Int {
        let number = barrier.next()
        var note = PresenceNote(
            session: claim.session, number: number, sinceUnixMs: claim.sinceUnixMs, sentUnixMs: unixMs,
            validForMs: Int(validity / .milliseconds(1)))
        note.free = isFree
        if isFirst, isFree != nil { note.first = true }
        connection.publish(
            note.text, to: topic, isRetained: true, expirySeconds: UInt32(validity / .seconds(1)), outcome)
        return number
    }

    /// Publishes a note, and returns the reason code of its acknowledgement and its number; no reason code when the connection ended before.
    nonisolated(nonsending) func published(
        on connection: BrokerConnection, unixMs: Double, isFirst: Bool = false
    ) async -> (reason: Int32?, number: Int) {
        var number = 0
        let reason = await withCheckedContinuation { continuation in
            number = publish(on: connection, unixMs: unixMs, isFirst: isFirst) { continuation.resume(returning: $0) }
        }
        return (reason, number)
    }

    /// Waits until this note, or a later one, has come back: the broker has delivered what it had before.
    nonisolated(nonsending) func wait(for number: Int, on connection: BrokerConnection) async {
        guard connection.failure == nil else { return }
        await withCheckedContinuation { barrier.wait(for: number, $0) }
    }

    /// Takes a note of this device, nil for the end of one.
    func take(_ note: PresenceNote?) -> DeviceClaim.Action {
        let action = claim.take(note)
        if case .nothing = action, let note, claim.isOwn(note) { barrier.reached(note.number) }
        return action
    }

    /// The connection is gone: nobody waits any more.
    func connectionEnded() { barrier.release() }
}
