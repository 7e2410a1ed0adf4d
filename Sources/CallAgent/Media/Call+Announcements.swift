internal import CallProtocol
internal import MediaEngine

/// What the peer announced to send: the media is compared with it.
extension Call {
    /// Whether the peer has learned that this end holds the call.
    struct HoldKnowledge {
        /// The message that says so, while nobody has acknowledged it.
        fileprivate var waitsFor: Int?
        fileprivate(set) var isKnown = false
    }

    /// Tells the media what it may expect after an event.
    ///
    /// - Parameter announced: when the peer said so; a message may be late.
    func expectAnnounced(at announced: ContinuousClock.Instant) {
        let next = machine.announced(knowsHold: holdKnowledge.isKnown)
        guard next != announcedMedia else { return }
        announcedMedia = next
        outputs.expect(SendMode(next.audio), of: .audio, announcedAt: announced)
        outputs.expect(SendMode(next.video), of: .video, announcedAt: announced)
    }

    /// This end said in message number `number` whether it holds the call.
    ///
    /// Until the peer acknowledges that, it may send. A transport that guarantees delivery has no acknowledgements.
    func noteAnnounced(_ state: MediaState, inMessage number: Int) {
        guard state.isHolding else {
            holdKnowledge = HoldKnowledge()
            return
        }
        guard !holdKnowledge.isKnown, let acknowledged = surroundings.acknowledged else { return }
        holdKnowledge.waitsFor = number
        Task { [weak self, key] in
            await acknowledged(key)
            await self?.peerKnowsHold(fromMessage: number)
        }
    }

    /// A message was given up: the peer may not know what it said.
    func forgetAnnounced(_ body: SignalingMessage.Body) {
        if case .state = body { holdKnowledge.waitsFor = nil }
    }

    /// Adds what arrived against the announcements.
    func addBroken(to statistics: inout MediaReport) {
        statistics.video?.received.broken = outputs.broken(.video)
        statistics.audio?.received.broken = outputs.broken(.audio)
    }

    private func peerKnowsHold(fromMessage number: Int) {
        guard holdKnowledge.waitsFor == number else { return }
        holdKnowledge = HoldKnowledge(isKnown: true)
        expectAnnounced(at: .now)
    }
}
