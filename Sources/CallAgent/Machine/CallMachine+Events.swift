public import CallProtocol

extension CallMachine {
    /// What the machine is told: facts, in the order in which they happened.
    public enum Event: Sendable, Equatable {
        // What this end's user does.
        /// The caller places the call.
        case place
        /// The callee takes the call.
        case accept
        /// The callee refuses the call, with a code that its caller is told.
        case reject(code: Int, text: String)
        /// The user ends the call, in whatever state it is.
        case hangUp(text: String)
        /// The user holds the call.
        case hold
        /// The user takes the call up again.
        case unhold
        /// The user changes what is sent; nil leaves it as it is.
        case setSending(audio: MediaState.Sending?, video: MediaState.Sending?)
        /// The user wants other media in the call: pictures added to sound.
        case changeMedia(CallMedia)
        /// The user sends a message of the application's own.
        case sendInfo(String)

        // What the peer says, about which peer connection, and from which of its devices.
        /// A message of this call arrived.
        case received(SignalingMessage.Body, generation: Int = 0, device: String? = nil)
        /// The peer calls, too, and its call is the one that both keep.
        case yield(to: SignalingMessage.Invite, device: String?)

        // What the transport does.
        /// The invite could not be handed to the transport, or nobody said that it arrived.
        case inviteFailed(text: String)
        /// This end's signaling connection was lost.
        case signalingLost
        /// It is back.
        case signalingRestored
        /// It is time to ask whether the call is still there at the peer.
        case audit

        /// Something happened to the media of a generation.
        case media(MediaFact, generation: Int = 0)
        /// A timer that was started ran out.
        case timerFired(CallTimer)
    }

    /// What the shell is to do: commands, in order.
    ///
    /// None has a result; what comes of it is an event.
    public enum Effect: Sendable, Equatable {
        /// Send a message of this call to the peer.
        case send(SignalingMessage.Body, to: Address = Address())
        /// Build the media of a generation and make its offer; answers with ``MediaFact/offerCreated(sdp:)``.
        case createOffer(CallMedia, generation: Int = 0)
        /// Build the media of a generation and make its answer; answers with ``MediaFact/answerCreated(sdp:)``.
        case createAnswer(offer: String, CallMedia, generation: Int = 0)
        /// Take the peer's answer.
        case setAnswer(sdp: String, generation: Int = 0)
        /// Take a candidate of the peer's.
        case addCandidate(SignalingMessage.Candidate, generation: Int = 0)
        /// Let through what the gates say from now on.
        case setGates(MediaGates, generation: Int = 0)
        /// Close the media of a generation.
        case close(generation: Int)
        /// Start a timer; one that runs starts anew.
        case startTimer(CallTimer, milliseconds: Int)
        /// Stop a timer, if it runs.
        case cancelTimer(CallTimer)
        /// Close all media: the call is over.
        case stopMedia
        /// Go by the id of the peer's call from now on.
        case adoptCall
        /// Tell the user.
        case report(CallStateChange)
        /// Tell the user something that is no change of state.
        case notify(CallNotice)
        /// Write a line into the log: something came that fits no rule.
        case ignored(String)

        /// Whether the user hears of it.
        var isTold: Bool {
            switch self {
            case .report, .notify: true
            default: false
            }
        }
    }

    /// Whom a message of a call is for, and about which peer connection it is.
    public struct Address: Sendable, Equatable {
        /// The device of the peer; nil for all of them.
        public var device: String?
        /// The peer connection.
        public var generation: Int

        /// Makes an address; all devices and the first peer connection unless said otherwise.
        public init(device: String? = nil, generation: Int = 0) {
            self.device = device
            self.generation = generation
        }
    }
}
