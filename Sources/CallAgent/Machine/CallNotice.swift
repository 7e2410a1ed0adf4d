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
    /// Something of this end's media failed that the call goes on without: a device, a TURN server.
    case mediaWarning(text: String)
    /// This end's signaling connection was lost; the call goes on.
    case signalingLost
    /// It is back.
    case signalingRestored
}
