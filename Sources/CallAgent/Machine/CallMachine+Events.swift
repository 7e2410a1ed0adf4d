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

        // What the peer says, and of which generation.
        /// A message of this call arrived.
        case received(SignalingMessage.Body, generation: Int)
        /// A message of this call could not be handed to the transport.
        case sendFailed(text: String)

        // What the media does.
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
        /// The media cannot go on.
        case mediaFailed(MediaFault)

        /// A timer that was started ran out.
        case timerFired(CallTimer)
    }

    /// What the shell is to do: commands, in order.
    ///
    /// None has a result; what comes of it is an event.
    public enum Effect: Sendable, Equatable {
        /// Send a message of this call to the peer.
        case send(SignalingMessage.Body)
        /// Make the offer; answers with ``Event/offerCreated(sdp:)``.
        case createOffer
        /// Make the answer; answers with ``Event/answerCreated(sdp:)``.
        case createAnswer(offer: String)
        /// Take the peer's answer.
        case setAnswer(sdp: String)
        /// Take a candidate of the peer's.
        case addCandidate(SignalingMessage.Candidate)
        /// Let this end's media out, once the transport is verified.
        case openSendGates
        /// Show and play what arrives.
        case openReceiveGates
        /// Start a timer; one that runs starts anew.
        case startTimer(CallTimer, milliseconds: Int)
        /// Stop a timer, if it runs.
        case cancelTimer(CallTimer)
        /// Close the media.
        case stopMedia
        /// Tell the user.
        case report(CallStateChange)
        /// Write a line into the log: something came that fits no rule.
        case ignored(String)
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
}
