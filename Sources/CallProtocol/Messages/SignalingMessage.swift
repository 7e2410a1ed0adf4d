/// One message of a call between two users, as `docs/signaling.md` describes it.
///
/// A message is a plain value. ``encoded()`` and ``init(decoding:)`` convert it to and from JSON text. They check every message, so
/// that no other part of the package gets a malformed one.
public struct SignalingMessage: Sendable, Equatable {
    /// The version of the protocol that this package supports.
    public static let version = 1

    /// Identifies this message among all messages of its sender; an error refers to it.
    public var id: String
    /// The call that the message belongs to.
    ///
    /// Every receiver checks it.
    public var callId: String
    /// The user that sent it.
    ///
    /// Empty in a message of the server itself, which can only be ``Body/error(_:)``.
    public var from: String
    /// The user that the message is for.
    public var to: String
    /// The device of the sender; nil when the transport has no devices.
    public var device: String?
    /// The device that the message is for; nil for all devices of the user.
    public var toDevice: String?
    /// The sequence number among all messages that the sender's device sends this audience about this call, from 1; nil when the
    /// transport itself guarantees order and delivery.
    ///
    /// The audience is one device, or all devices of the receiving user.
    public var sequence: Int?
    /// When the sending process began to number its messages, in ms since 1970; 0 without a ``sequence``.
    ///
    /// A process that starts again numbers from 1 again. A receiver tells the two apart by this. In a ``Body/ack(_:)`` it is that of
    /// the acknowledged message.
    public var epoch: Int = 0
    /// The peer connection of the call that the message concerns; 0 is the first.
    public var generation: Int
    /// The sender's wall clock when it sent the message, in ms since 1970.
    public var sentUnixMs: Double
    /// Application data, for the application at the other end.
    public var extensionData: [String: String] = [:]
    /// The content of the message.
    public var body: Body

    /// Makes a message; ``SignalingLimits`` gives the bounds of its strings.
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

    /// The content of a message, with the fields that only this type has.
    public enum Body: Sendable, Equatable {
        /// The caller asks for a call and offers media.
        case invite(Invite)
        /// The callee's device rings.
        case ringing
        /// The callee's answer while it still rings (SIP's 183 Session Progress).
        case progress(sdp: String, state: MediaState? = nil)
        /// The callee accepts the call; carries the answer unless ``progress(sdp:state:)`` did.
        case accept(sdp: String?, state: MediaState? = nil)
        /// The callee refuses the call.
        case reject(Farewell)
        /// The caller gives up before the call was accepted.
        case cancel(Farewell)
        /// Either end ends the call.
        case hangup(Farewell)
        /// One ICE candidate, or the end of candidates.
        case candidate(Candidate)
        /// The caller offers another peer connection of an accepted call.
        case offer(Offer)
        /// The callee's answer to ``offer(_:)``.
        case answer(sdp: String)
        /// The callee asks the caller for a peer connection with other media.
        case renegotiate(CallMedia)
        /// The sender receives the receiver's media on the new peer connection, and shows it from now on.
        case commit
        /// The sender gives up the new peer connection; the call continues unchanged.
        case rollback
        /// The sender looks for another network path between the two ends of the same peer connection.
        case iceRestart(IceParameters)
        /// What the sender sends from now on.
        case state(MediaState)
        /// A message of the application.
        case info(String)
        /// Asks whether the call still exists; answered by ``status(_:)``, or by error 481.
        case query
        /// The call still exists, in this state.
        case status(CallState)
        /// Empty: replaces a message that the server refused, so that later messages are delivered.
        case skip
        /// The message with this id arrived. Never acknowledged itself.
        case ack(String)
        /// The server reports that the connection of the user in ``SignalingMessage/from`` closed.
        case gone
        /// A message could not be delivered or understood. Never answered.
        case error(Fault)
    }

    /// What an invite carries.
    public struct Invite: Sendable, Equatable {
        /// The media that the caller asks for.
        public var media: CallMedia
        /// How long the caller lets it ring, in ms.
        ///
        /// The invite is void after that.
        public var ringTimeoutMs: Int
        /// The caller's SDP offer.
        public var sdp: String
        /// What the caller sends; nil means everything.
        public var state: MediaState?
        /// The room of the call on a media server, or for any use of the application: unguessable, new for each call.
        public var room: String?
        /// The caller's display name.
        public var displayName: String?
        /// The caller's address (`user@domain`), for display.
        public var address: String?

        /// Makes the contents of an invite.
        public init(media: CallMedia, ringTimeoutMs: Int, sdp: String, state: MediaState? = nil) {
            self.media = media
            self.ringTimeoutMs = ringTimeoutMs
            self.sdp = sdp
            self.state = state
        }
    }

    /// Another peer connection of the same call.
    public struct Offer: Sendable, Equatable {
        /// The media of the connection.
        public var media: CallMedia
        /// The caller's SDP offer.
        public var sdp: String

        /// Makes an offer.
        public init(media: CallMedia, sdp: String) {
            self.media = media
            self.sdp = sdp
        }
    }

    /// Why a call ends, as its sender sees it: a code of `docs/call-states.md` and a text for display.
    public struct Farewell: Sendable, Equatable {
        /// The code; unknown ones are passed on unchanged.
        public var code: Int
        /// At most ``SignalingLimits/textBytes`` bytes.
        public var text: String
        /// In a `cancel`: the one device of the user that ignores the message, because it accepted or refused the call.
        public var winner: String?

        /// Makes a farewell.
        public init(code: Int, text: String, winner: String? = nil) {
            self.code = code
            self.text = text
            self.winner = winner
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

    /// The credentials of one end's ICE agent for another network path (RFC 8839 section 5.4).
    ///
    /// Each end sends them once for each restart. The candidates follow one by one; each one names its fragment.
    public struct IceParameters: Sendable, Equatable {
        /// The number of the restart within its peer connection, from 1.
        ///
        /// An end that gets a number above its own answers with its parameters of the same number.
        public var restart: Int
        /// The username fragment.
        public var fragment: String
        /// The password.
        public var password: String

        /// Makes parameters.
        public init(restart: Int, fragment: String, password: String) {
            self.restart = restart
            self.fragment = fragment
            self.password = password
        }
    }

    /// What was wrong with an earlier message.
    public struct Fault: Sendable, Equatable {
        /// 400 malformed, 403 not allowed, 404 unknown user, 413 too large, 426 unknown version or type, 429 too many, 480 user
        /// offline, 481 no such call.
        public var code: Int
        /// A text for display.
        public var text: String
        /// The ``SignalingMessage/id`` of the message that failed, if it could be read.
        public var ref: String?

        /// Makes a fault.
        public init(code: Int, text: String, ref: String?) {
            self.code = code
            self.text = text
            self.ref = ref
        }
    }
}
