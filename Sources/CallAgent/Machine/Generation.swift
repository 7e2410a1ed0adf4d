internal import CallProtocol

/// One peer connection of a call, as the rules see it.
///
/// A call begins with the first and gets another one for what a connection cannot renegotiate: other media, another device that
/// answered.
struct Generation: Sendable, Equatable {
    /// Counted from 0; in every message.
    var number: Int
    /// What it has m-lines for.
    var media: CallMedia
    /// The media was told to make its offer or answer.
    var isBuilt = false
    /// The caller's offer, kept by a callee that does not answer before it accepts.
    var pendingOffer: String?
    /// The callee has sent its answer; the caller has taken one.
    var isAnswered = false
    /// The device of the callee that the caller took the answer of.
    var device: String?
    /// The offer went out.
    var isOffered = false
    /// What was found before the offer went out, which no candidate may overtake.
    var heldCandidates: [SignalingMessage.Candidate] = []
    /// The transport is up and the peer is who it says.
    var isVerified = false
    /// Nothing of the peer arrives.
    var isInterrupted = false
    /// A picture was decoded.
    var hasPicture = false
    /// A sound was decoded.
    var hasSound = false
    /// What its media lost for good.
    var failed: Set<TrackFault.Half> = []
    /// What the media was told last.
    var gates = MediaGates()
    /// This end has the peer's media on it and said so: it shows this one now.
    var isCommittedHere = false
    /// The peer said so.
    var isCommittedThere = false

    init(number: Int, media: CallMedia) {
        self.number = number
        self.media = media
    }

    func hasFailed(_ medium: CaptureFault.Medium, _ direction: TrackFault.Direction) -> Bool {
        failed.contains(.init(medium: medium, direction: direction))
    }
}
