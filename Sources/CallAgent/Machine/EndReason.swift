/// Why a call ended, as this end sees it.
///
/// Scripts compare raw values and codes. `docs/call-states.md` lists them.
public enum EndReason: String, Sendable, Equatable, Hashable, CaseIterable, Codable {
    /// This end hung up.
    case localHangup
    /// The peer hung up.
    case remoteHangup
    /// This end, the caller, gave up before the call was accepted.
    case localCancelled
    /// The caller gave up before this end accepted.
    case remoteCancelled
    /// This end refused the call.
    case localRejected
    /// The peer refused the call.
    case remoteRejected
    /// The peer is at its limit of calls.
    case remoteBusy
    /// The call was not answered within this end's ring timeout.
    case ringTimeout
    /// The call was not answered within the peer's ring timeout.
    case remoteRingTimeout
    /// The call was accepted, but no media of the peer arrived within this end's connect timeout.
    case connectTimeout
    /// The call was accepted, but no media of this end reached the peer within its connect timeout.
    case remoteConnectTimeout
    /// The signaling server does not know the user.
    case unknownUser
    /// The user is not signed in.
    case offline
    /// The peer's SDP cannot be used: malformed, or no codec in common.
    case incompatibleMedia
    /// The peer's signaling connection closed and its media stopped: its process or its network is gone.
    case remoteLost
    /// Nothing of the peer arrived for the media-lost timeout.
    case mediaLost
    /// This end's media failed, and no other connection could replace it; the text names the element and GStreamer's own message.
    case mediaFailed
    /// The peer's DTLS certificate is not the one its SDP named (RFC 8827 section 6.5). No media of the peer was let through.
    case securityFailed
    /// A message of the call could not be sent or was refused as malformed.
    case signalingFailed
    /// The peer ended the call because of an error at its end.
    case remoteFailed
    /// Another device of this end's user took the call.
    case answeredElsewhere
    /// Another device of this end's user refused the call.
    case declinedElsewhere
    /// The peer no longer has the call: its program was restarted, or its farewell was lost.
    case unknownCall

    /// The numeric code: SIP's where SIP has one (RFC 3261 section 21), else 9900 ended by the peer, 9901 ended by this end,
    /// 9906 ended by an error.
    public var code: Int {
        switch self {
        case .localHangup, .localCancelled: 9901
        case .remoteHangup, .remoteCancelled: 9900
        case .localRejected, .remoteRejected, .declinedElsewhere: 603
        case .answeredElsewhere: 200
        case .unknownCall: 481
        case .remoteBusy: 486
        case .ringTimeout, .remoteRingTimeout: 487
        case .connectTimeout, .remoteConnectTimeout: 408
        case .unknownUser: 404
        case .offline: 480
        case .incompatibleMedia: 488
        case .remoteLost, .mediaLost, .mediaFailed, .securityFailed, .signalingFailed, .remoteFailed: 9906
        }
    }

    /// The code that the peer gets when this end ends the call for this reason: a normal end is no error for the peer either.
    var farewellCode: Int {
        switch self {
        case .localHangup, .localCancelled: Self.remoteHangup.code
        default: code
        }
    }
}
