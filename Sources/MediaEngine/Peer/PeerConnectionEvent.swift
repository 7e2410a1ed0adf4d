/// What happens on a peer connection, and when.
public struct PeerConnectionEvent: Sendable, Equatable {
    /// The moment at which it happened, taken where it happened.
    public let at: ContinuousClock.Instant
    /// What happened.
    public let kind: Kind

    /// The kinds of event, in the order in which a call that goes well meets them.
    public enum Kind: Sendable, Equatable {
        /// A candidate to tell the peer, or the end of them.
        case localCandidate(IceCandidate)
        /// The search for this end's candidates is over.
        case candidatesGathered(GatheringOutcome)
        /// There are TURN servers, but none gave a relay candidate; the text says why as far as that is known. The connection may still come up.
        case relayUnavailable(text: String)
        /// ICE found a pair of addresses that works.
        case iceConnected
        /// DTLS is up and the peer's certificate is the one that its SDP named. What was held back flows now.
        case verified
        /// The first picture or sound of the peer was decoded.
        case firstFrame(MediaKind)
        /// The first picture or sound came out of the receive gate.
        case firstShown(MediaKind)
        /// Nothing arrived for ``TransportTuning/silenceMs``, or from a peer that sends no media for three times the time between its reports.
        case interrupted
        /// Something arrived again.
        case resumed
        /// The peer pressed a key (RFC 4733).
        case dtmf(DtmfDigit)
        /// What is encoded has pictures of this size from now on, in pixels.
        case picturesSent(width: Int, height: Int)
        /// What is decoded has pictures of this size from now on, in pixels.
        case picturesReceived(width: Int, height: Int)
        /// The peer has opened a data channel; messages flow.
        case dataChannel(DataChannel)
        /// A capture could not be opened for ``PeerConnection/setSending(_:of:)``; nothing of this kind is sent until it is asked for anew.
        case captureFailed(MediaKind, MediaError)
        /// A source failed while it was sent: a moving test picture or silence takes its place until it is back.
        case captureLost(MediaKind, MediaError)
        /// The source is back and is sent again.
        case captureRestored(MediaKind)
        /// A recording, or its pictures, cannot be written (any more); everything else goes on.
        case recordingFailed(MediaError)
        /// A sink shows or plays nothing any more; what it was to show or play is discarded.
        case sinkFailed(MediaKind, MediaError)
        /// An element failed, and half of its track with it; everything else goes on. Told once for each half.
        case trackFailed(TrackFailure)
        /// So many earlier events were dropped, since the application did not read them in time; see ``PeerConnection/maximumWaitingEvents``.
        case eventsDropped(Int)
        /// The connection cannot go on: close it.
        case failed(MediaError)
    }

    /// The same with the m-line of a candidate counted among all: `mLines` are the places of those that `webrtcbin` knows.
    func moved(to mLines: [Int]) -> PeerConnectionEvent {
        guard case .localCandidate(let candidate) = kind, mLines.indices.contains(candidate.mLine) else { return self }
        let moved = IceCandidate(mLine: mLines[candidate.mLine], candidate: candidate.candidate)
        return PeerConnectionEvent(.localCandidate(moved), at: at)
    }

    init(_ kind: Kind, at: ContinuousClock.Instant = .now) {
        self.kind = kind
        self.at = at
    }

    init(_ change: CaptureChange, of kind: MediaKind) {
        switch change {
        case .lost(let error): self.init(.captureLost(kind, error))
        case .restored: self.init(.captureRestored(kind))
        }
    }
}
