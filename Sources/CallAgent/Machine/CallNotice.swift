public import CallProtocol

/// An event of a call that is not a state change.
public enum CallNotice: Sendable, Equatable {
    /// The hold state changed.
    case holdChanged(HoldState)
    /// The peer reported what it sends.
    case peerMediaChanged(MediaState)
    /// The peer's application sent a message.
    case info(String)
    /// The call was connected by audio, because the video is late (``CallTimeouts/audioGraceMs``).
    case videoPending
    /// The call has other media from now on: for example, video was added, and both ends receive media on the new connection.
    ///
    /// Also for the same media on another connection: the former one had failed.
    case mediaChanged(CallMedia)
    /// The change of media failed or was refused; the call continues unchanged.
    case mediaChangeFailed(text: String)
    /// A device of the callee rings; nil when the transport has no devices.
    case deviceRings(String?)
    /// One end looks for another network path, since its network changed or nothing arrives; media continues as long as the present path works.
    case networkChangeStarted(by: CallParty)
    /// The search is over: media takes another path; nil when the former one works again.
    case networkChangeEnded(NetworkPathChange?)
    /// The peer pressed a digit (RFC 4733): `0` to `9`, `*`, `#`, or `A` to `D`.
    case dtmf(digit: String)
    /// Smaller or fewer frames are sent than are captured, since the network takes too little, or more again.
    case videoAdapted(VideoChange)
    /// A camera or microphone could not be opened; its medium is not sent until it is turned on again or another one is chosen.
    case captureFailed(CaptureFault)
    /// A camera or microphone was lost while in use: a moving test pattern or silence replaces it until it is back.
    case captureLost(CaptureFault)
    /// The camera or microphone is back and is sent again.
    case captureRestored(CaptureFault.Medium)
    /// An encoder, a decoder or another element failed: its half of a track is gone as long as the call uses this connection.
    case trackFailed(TrackFault)
    /// Another part of this end's media failed, such as a TURN server; the call continues without it.
    case mediaWarning(text: String)
    /// A message of this end was given up: nobody acknowledged it in time, or it was refused with `code`.
    ///
    /// `type` is its type in `docs/signaling.md`. The call continues without it.
    case messageNotDelivered(type: String, code: Int?, text: String)
    /// The peer sent nothing for a whole audit interval after it was asked whether the call still exists.
    ///
    /// The call continues while its media flows. The notice is sent once until the peer sends a message again.
    case auditUnanswered
    /// This end's signaling connection was lost; the call continues.
    case signalingLost
    /// This end's signaling connection is back.
    case signalingRestored
}
