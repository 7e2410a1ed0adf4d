/// One message of a call between two users, as `docs/signaling.md` describes it.
///
/// A message is a plain value. ``encoded()`` and ``init(decoding:)`` turn it into JSON text and back;
/// everything that arrives is checked there, so that no other part of the package meets a malformed one.
public struct SignalingMessage: Sendable, Equatable {
    /// The version of the protocol that this package speaks.
    public static let version = 1

    /// Identifies this message among all of its sender's; an error refers to it.
    public var id: String
    /// The call that the message belongs to.
    ///
    /// Every receiver compares it.
    public var callId: String
    /// The user who sent it.
    ///
    /// Empty when the server itself speaks, which only ``Body/error(_:)`` may do.
    public var from: String
    /// The user it is meant for.
    public var to: String
    /// The peer connection of the call that the message is about; 0 is the first.
    public var generation: Int
    /// The sender's wall clock when it sent the message, in ms since 1970.
    public var sentUnixMs: Double
    /// What the message says.
    public var body: Body

    /// Makes a message; use ``SignalingLimits`` to learn what its strings may hold.
    public init(
        id: String, callId: String, from: String, to: String, generation: Int = 0, sentUnixMs: Double, body: Body
    ) {
        self.id = id
        self.callId = callId
        self.from = from
        self.to = to
        self.generation = generation
        self.sentUnixMs = sentUnixMs
        self.body = body
    }

    /// What a message says, with the fields that only this kind has.
    public enum Body: Sendable, Equatable {
        /// The caller asks for a call and offers media.
        case invite(Invite)
        /// The callee's device rings.
        case ringing
        /// The callee's answer while it still rings (SIP's 183 Session Progress).
        case progress(sdp: String)
        /// The callee takes the call; carries the answer unless ``progress(sdp:)`` did.
        case accept(sdp: String?)
        /// The callee refuses the call.
        case reject(Farewell)
        /// The caller gives up before the call was accepted.
        case cancel(Farewell)
        /// Either end ends the call.
        case hangup(Farewell)
        /// One ICE candidate, or the end of them.
        case candidate(Candidate)
        /// The server tells that the connection of the user in ``SignalingMessage/from`` closed.
        case gone
        /// A message could not be delivered or understood. Never answered.
        case error(Fault)
    }

    /// What an invite carries.
    public struct Invite: Sendable, Equatable {
        /// The media that the caller wants.
        public var media: CallMedia
        /// How long the caller lets it ring, in ms.
        ///
        /// The invite is void after that.
        public var ringTimeoutMs: Int
        /// The caller's SDP offer.
        public var sdp: String

        /// Makes the contents of an invite.
        public init(media: CallMedia, ringTimeoutMs: Int, sdp: String) {
            self.media = media
            self.ringTimeoutMs = ringTimeoutMs
            self.sdp = sdp
        }
    }

    /// Why a call ends, as its sender sees it: a code of `docs/call-states.md` and a text for people.
    public struct Farewell: Sendable, Equatable {
        /// The code; unknown ones are passed on unchanged.
        public var code: Int
        /// At most ``SignalingLimits/textBytes`` bytes.
        public var text: String

        /// Makes a farewell.
        public init(code: Int, text: String) {
            self.code = code
            self.text = text
        }
    }

    /// An ICE candidate as RFC 8840 trickles it.
    public struct Candidate: Sendable, Equatable {
        /// The candidate attribute without `a=`; empty for the end of candidates.
        public var candidate: String
        /// The index of the m-line, from 0.
        public var mLine: Int

        /// Makes a candidate.
        public init(candidate: String, mLine: Int) {
            self.candidate = candidate
            self.mLine = mLine
        }
    }

    /// What was wrong with an earlier message.
    public struct Fault: Sendable, Equatable {
        /// 400 malformed, 404 unknown user, 413 too large, 426 unknown version or type, 480 user offline.
        public var code: Int
        /// For people.
        public var text: String
        /// The ``SignalingMessage/id`` of the message that failed, when it was legible.
        public var ref: String?

        /// Makes a fault.
        public init(code: Int, text: String, ref: String?) {
            self.code = code
            self.text = text
            self.ref = ref
        }
    }
}
