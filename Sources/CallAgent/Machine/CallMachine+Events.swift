public import CallProtocol

extension CallMachine {
    /// An input of the machine: a fact; facts are fed in the order in which they happened.
    public enum Event: Sendable, Equatable {
        // Actions of this end's user.
        /// The caller places the call.
        case place
        /// The callee accepts the call.
        case accept
        /// The callee refuses the call; the code is sent to the caller.
        case reject(code: Int, text: String)
        /// The user ends the call, in any state.
        case hangUp(text: String)
        /// The user holds the call.
        case hold
        /// The user resumes the call.
        case unhold
        /// The user changes what is sent; nil leaves it as it is.
        case setSending(audio: MediaState.Sending?, video: MediaState.Sending?)
        /// The user chose a source of a medium.
        case setSource(CaptureFault.Medium)
        /// The user asks for other media in the call, such as video in an audio call.
        case changeMedia(CallMedia)
        /// The user sends an application message.
        case sendInfo(String)

        // Messages of the peer, with their peer connection and the sending device.
        /// A message of this call arrived.
        case received(SignalingMessage.Body, generation: Int = 0, device: String? = nil)
        /// The peer also calls this user, and both ends keep the peer's call.
        case yield(to: SignalingMessage.Invite, device: String?)

        // Events of the transport.
        /// The invite could not be handed to the transport, or nobody acknowledged it.
        case inviteFailed(text: String)
        /// This end's signaling connection was lost.
        case signalingLost
        /// The signaling connection is back.
        case signalingRestored
        /// It is time to ask the peer whether the call still exists.
        case audit

        /// Something happened to the media of a generation.
        case media(MediaFact, generation: Int = 0)
        /// A timer that was started ran out.
        case timerFired(CallTimer)
    }

    /// An output of the machine: a command for the ``Call`` that runs it; commands are carried out in order.
    ///
    /// No command has a result; results are events.
    public enum Effect: Sendable, Equatable {
        /// Send a message of this call to the peer.
        case send(SignalingMessage.Body, to: Address = Address())
        /// Build the media of a generation and make its offer; answers with ``MediaFact/offerCreated(sdp:)``.
        case createOffer(CallMedia, generation: Int = 0)
        /// Build the media of a generation and make its answer; answers with ``MediaFact/answerCreated(sdp:)``.
        case createAnswer(offer: String, CallMedia, generation: Int = 0)
        /// Take the peer's answer.
        case setAnswer(sdp: String, generation: Int = 0)
        /// Add a candidate of the peer.
        case addCandidate(SignalingMessage.Candidate, generation: Int = 0)
        /// Gather candidates for another path; answers with ``MediaFact/iceParameters(_:)``.
        case restartIce(Int, generation: Int = 0)
        /// Use the peer's parameters for a path that ``restartIce(_:generation:)`` began.
        case setIceParameters(SignalingMessage.IceParameters, generation: Int = 0)
        /// Set the gates.
        case setGates(MediaGates, generation: Int = 0)
        /// Close the media of a generation.
        case close(generation: Int)
        /// Start a timer; a running one is restarted.
        case startTimer(CallTimer, milliseconds: Int)
        /// Stop a timer, if it runs.
        case cancelTimer(CallTimer)
        /// Close all media: the call is over.
        case stopMedia
        /// Use the id of the peer's call from now on.
        case adoptCall
        /// Report a state change to the user.
        case report(CallStateChange)
        /// Report something to the user that is not a state change.
        case notify(CallNotice)
        /// Write a log line: an event fits no rule.
        case ignored(String)

        /// Whether the user gets an event.
        var isReported: Bool {
            switch self {
            case .report, .notify: true
            default: false
            }
        }
    }

    /// The receiver of a message, and the peer connection that it concerns.
    public struct Address: Sendable, Equatable {
        /// The device of the peer; nil for all of them.
        public var device: String?
        /// The peer connection.
        public var generation: Int

        /// Makes an address; by default for all devices and the first peer connection.
        public init(device: String? = nil, generation: Int = 0) {
            self.device = device
            self.generation = generation
        }
    }
}
