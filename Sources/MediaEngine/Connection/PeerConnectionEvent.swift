/// An event on a peer connection.
public struct PeerConnectionEvent: Sendable, Equatable {
    /// When it happened, measured where it happened.
    public let at: ContinuousClock.Instant
    /// What happened.
    public let kind: Kind

    /// The kinds of event, in the order of a successful call.
    public enum Kind: Sendable, Equatable {
        /// A local candidate to send to the peer, or the end of candidates.
        case localCandidate(IceCandidate)
        /// The gathering of local candidates is over.
        case candidatesGathered(GatheringOutcome)
        /// None of the TURN servers gave a relay candidate; the text says why, as far as known. The connection may still succeed.
        case relayUnavailable(text: String)
        /// ICE found a working candidate pair.
        case iceConnected
        /// DTLS is connected and the peer's certificate matches the fingerprint in its SDP. Media that was held back flows now.
        case verified
        /// The first video frame or audio buffer of the peer was decoded.
        case firstFrame(TrackID)
        /// The first video frame or audio buffer passed the receive gate.
        case firstShown(TrackID)
        /// Nothing arrived for ``TransportTuning/silenceMs``, or, if the peer sends no media, for three times the interval of its reports.
        case interrupted
        /// Something arrived again.
        case resumed
        /// Nothing arrived for two fifths of the time before ``mediaMissing`` or ``pathSilent``, and the path is being checked; once for each silence.
        ///
        /// A NAT may have forgotten this end. The check tells the peer the new address, but connections to servers may be broken, too.
        case pathChecked
        /// Media stopped, and nothing else arrived, for four times its longest pause: at least 300 ms, at most ``TransportTuning/pathSilenceMs``.
        ///
        /// Another path should be looked for, unless the peer has stopped its media. It is reported again while nothing arrives, as ``pathSilent`` is.
        case mediaMissing
        /// Nothing arrived for ``TransportTuning/pathSilenceMs``, with the same patience; again while nothing arrives, at first after the same time, then every 3 s.
        case pathSilent
        /// The network of this machine changed, and another path may be better, or the only one.
        case networkChanged
        /// The parameters of ``PeerConnection/restartIce(_:)``, to send to the peer; candidates of the new path follow.
        case iceParameters(IceParameters)
        /// Another path carries the packets.
        case pathChanged(IcePathChange)
        /// The peer sent a DTMF digit (RFC 4733).
        case dtmf(DtmfDigit)
        /// The encoded frames have this size from now on, in pixels.
        case frameSizeSent(width: Int, height: Int, of: TrackID = .video)
        /// Smaller or fewer frames are sent than are captured, or more again, because of the path (``TrackConfiguration/degradationPreference``).
        case videoAdapted(VideoAdaptation, of: TrackID = .video)
        /// The decoded frames have this size from now on, in pixels.
        case frameSizeReceived(width: Int, height: Int, of: TrackID = .video)
        /// The peer has opened a data channel; messages can flow.
        case dataChannel(DataChannel)
        /// A capture could not be opened for ``PeerConnection/setSending(_:of:)``; nothing is sent on this track until the next such call.
        case captureFailed(TrackID, MediaError)
        /// A source failed while it was sent: a moving test image or silence replaces it until it is back.
        case captureLost(TrackID, MediaError)
        /// The source is back and is sent again.
        case captureRestored(TrackID)
        /// A recording, or its video, cannot be written (any more); everything else continues.
        case recordingFailed(MediaError)
        /// A sink failed and shows or plays nothing any more; its media is discarded.
        case sinkFailed(TrackID, MediaError)
        /// Nothing is sent on this track although it has a source: the peer does not take it.
        case trackRefused(TrackID)
        /// An element failed, and half of its track with it; everything else continues. Sent once for each half.
        case trackFailed(TrackFailure)
        /// This many earlier events were dropped, since the application did not read them in time; see ``PeerConnection/maximumWaitingEvents``.
        case eventsDropped(Int)
        /// The connection cannot continue: close it.
        case failed(MediaError)
    }

    /// Replaces the m-line index of a candidate: `mLines` maps the m-lines that `webrtcbin` knows to their indices among all m-lines.
    func moved(to mLines: [Int]) -> PeerConnectionEvent {
        guard case .localCandidate(let candidate) = kind, mLines.indices.contains(candidate.mLine) else { return self }
        let moved = IceCandidate(mLine: mLines[candidate.mLine], candidate: candidate.candidate)
        return PeerConnectionEvent(.localCandidate(moved), at: at)
    }

    init(_ kind: Kind, at: ContinuousClock.Instant = .now) {
        self.kind = kind
        self.at = at
    }

    init(_ change: CaptureChange, of track: TrackID) {
        switch change {
        case .lost(let error): self.init(.captureLost(track, error))
        case .restored: self.init(.captureRestored(track))
        }
    }
}
