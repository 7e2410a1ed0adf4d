/// What is sent now, derived from the rest of the call's state.
extension Call {
    /// What both ends send now; ``CallEvent/attributesChanged(_:)`` reports changes.
    public var attributes: MediaAttributes {
        let (media, gates) = (machine.media, machine.shown.gates)
        let sizes = frameSizes[machine.shown.number]
        let isSending = machine.state != .ended && (gates.video == .live || gates.video == .blank)
        let isShown = machine.state != .ended && gates.isReceiving && media.video && machine.peerSends.video != .off
        return MediaAttributes(
            local: .init(
                audio: media.audio ? machine.sends.audio : .off, video: media.video ? machine.sends.video : .off,
                audioSource: media.audio ? sourceName(.audio) : nil,
                videoSource: media.video ? sourceName(.video) : nil, frameSize: isSending ? sizes?.sent : nil),
            remote: .init(
                audio: media.audio ? machine.peerSends.audio : .off,
                video: media.video ? machine.peerSends.video : .off, frameSize: isShown ? sizes?.received : nil))
    }

    private func sourceName(_ medium: CaptureFault.Medium) -> String? {
        sources.label(of: medium) ?? surroundings.sourceNames[medium]
    }

    /// Sends an event if the attributes changed since the last one.
    func reportAttributes() {
        guard machine.state != .ended else { return }
        let now = attributes
        guard now != reportedAttributes else { return }
        reportedAttributes = now
        hub.yield(.attributesChanged(now))
    }

    /// Remembers the size of the frames of a peer connection.
    func note(_ fact: MediaFact, generation: Int) {
        switch fact {
        case .frameSizeSent(let size):
            frameSizes[generation, default: .init()].sent = size
            if let last = lastFrameSize.sent, last != size { frameSizeChanges.sent += 1 }
            lastFrameSize.sent = size
        case .frameSizeReceived(let size):
            frameSizes[generation, default: .init()].received = size
            if let last = lastFrameSize.received, last != size { frameSizeChanges.received += 1 }
            lastFrameSize.received = size
        default: break
        }
    }

    /// The frame sizes of one peer connection.
    struct FrameSizes: Sendable {
        var sent: FrameSize?
        var received: FrameSize?
    }
}
