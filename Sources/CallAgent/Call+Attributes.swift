/// What is sent at present, derived from everything else.
extension Call {
    /// What both ends send at present; ``CallEvent/attributesChanged(_:)`` tells when it changes.
    public var attributes: MediaAttributes {
        let (media, gates) = (machine.media, machine.shown.gates)
        let sizes = pictures[machine.shown.number]
        let isSending = machine.state != .ended && (gates.video == .live || gates.video == .blank)
        let isShown = machine.state != .ended && gates.isReceiving && media.video && machine.peerSends.video != .off
        return MediaAttributes(
            local: .init(
                audio: media.audio ? machine.sends.audio : .off, video: media.video ? machine.sends.video : .off,
                audioSource: media.audio ? sourceName(.audio) : nil,
                videoSource: media.video ? sourceName(.video) : nil, picture: isSending ? sizes?.sent : nil),
            remote: .init(
                audio: media.audio ? machine.peerSends.audio : .off,
                video: media.video ? machine.peerSends.video : .off, picture: isShown ? sizes?.received : nil))
    }

    private func sourceName(_ medium: CaptureFault.Medium) -> String? {
        sources.label(of: medium) ?? surroundings.sourceNames[medium]
    }

    /// Tells the user what has changed since the last time.
    func tellAttributes() {
        guard machine.state != .ended else { return }
        let now = attributes
        guard now != toldAttributes else { return }
        toldAttributes = now
        hub.yield(.attributesChanged(now))
    }

    /// Remembers the size of the pictures of a peer connection.
    func note(_ fact: MediaFact, generation: Int) {
        switch fact {
        case .picturesSent(let size): pictures[generation, default: .init()].sent = size
        case .picturesReceived(let size): pictures[generation, default: .init()].received = size
        default: break
        }
    }

    /// The pictures of one peer connection.
    struct PictureSizes: Sendable {
        var sent: PictureSize?
        var received: PictureSize?
    }
}
