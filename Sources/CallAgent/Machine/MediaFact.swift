public import CallProtocol

/// What the media of one peer connection reports.
public enum MediaFact: Sendable, Equatable {
    /// The offer is made and set.
    case offerCreated(sdp: String)
    /// The answer is made and set.
    case answerCreated(sdp: String)
    /// A candidate of this end, or the end of them.
    case localCandidate(SignalingMessage.Candidate)
    /// ICE found a way.
    case iceConnected
    /// DTLS is up and the peer's certificate is the right one.
    case verified
    /// The first picture was decoded.
    case firstVideoFrame
    /// The first sound was decoded.
    case firstAudioSample
    /// The first picture came out of the receive gate.
    case firstVideoShown
    /// The first sound came out of the receive gate.
    case firstAudioHeard
    /// Nothing arrives any more.
    case interrupted
    /// Something arrives again.
    case resumed
    /// The search for candidates is over; in words, how.
    case gathered(String)
    /// The peer pressed a key: `0` to `9`, `*`, `#`, or `A` to `D`.
    case dtmf(key: String)
    /// What is sent has pictures of this size from now on.
    case picturesSent(PictureSize)
    /// What is decoded has pictures of this size from now on.
    case picturesReceived(PictureSize)
    /// A source could not be opened; nothing of its kind is sent until it is asked for anew.
    case captureFailed(CaptureFault)
    /// A source gives nothing any more; a moving test picture or silence takes its place.
    case captureLost(CaptureFault)
    /// It is back.
    case captureRestored(CaptureFault.Medium)
    /// Half of a track failed; the rest goes on.
    case trackFailed(TrackFault)
    /// Something else failed that the call goes on without.
    case warning(String)
    /// The media cannot go on.
    case failed(MediaFault)
}

/// Why the media cannot go on.
public enum MediaFault: Sendable, Equatable {
    /// The peer's certificate is not the one that its SDP named.
    case security(text: String)
    /// The peer's SDP cannot be used.
    case incompatible(text: String)
    /// Anything else.
    case other(text: String)
}
