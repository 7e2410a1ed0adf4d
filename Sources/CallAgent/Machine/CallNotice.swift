public import CallProtocol

/// What happens in a call besides its changes of state.
public enum CallNotice: Sendable, Equatable {
    /// Either end holds the call, or no more.
    case holdChanged(HoldState)
    /// The peer told what it sends.
    case peerMediaChanged(MediaState)
    /// The peer sent a message of the application's own.
    case info(String)
    /// The call was connected by sound, since the pictures are late (``CallTimeouts/audioGraceMs``).
    case videoPending
    /// The call has other media from now on: pictures were added, and both ends have seen or heard the new connection.
    case mediaChanged(CallMedia)
    /// The change of media failed or was not wanted; the call goes on as it was.
    case mediaChangeFailed(text: String)
    /// A device of the callee rings; nil when the transport knows no devices.
    case deviceRings(String?)
    /// The peer pressed a key (RFC 4733): `0` to `9`, `*`, `#`, or `A` to `D`.
    case dtmf(key: String)
    /// A camera or microphone could not be opened; nothing of it is sent until it is turned on again or another one chosen.
    case captureFailed(CaptureFault)
    /// A camera or microphone is gone while it is sent: a moving test picture or silence takes its place until it is back.
    case captureLost(CaptureFault)
    /// It is back and is sent again.
    case captureRestored(CaptureFault.Medium)
    /// An encoder, a decoder or another element failed: its half of a track is there no more, for as long as the call has this connection.
    case trackFailed(TrackFault)
    /// Something else of this end's media failed that the call goes on without: a TURN server.
    case mediaWarning(text: String)
    /// A message of this end was given up: nobody acknowledged it in time, or it was refused with `code`.
    ///
    /// `type` is its type in `docs/signaling.md`. The call goes on without it.
    case messageNotDelivered(type: String, code: Int?, text: String)
    /// The peer has said nothing since it was asked whether the call is still there, for a whole interval of the audit.
    ///
    /// The call goes on while its media flows, and told once until the peer says something.
    case auditUnanswered
    /// This end's signaling connection was lost; the call goes on.
    case signalingLost
    /// It is back.
    case signalingRestored
}
