internal import CallProtocol

/// One peer connection of a call, as the rules see it.
///
/// A call begins with one and gets another for what a connection cannot renegotiate: other media, another device that answered, or a
/// failure that only a new association repairs.
struct Generation: Sendable, Equatable {
    /// Counted from 0; part of every message.
    var number: Int
    /// The media that have m-lines.
    var media: CallMedia
    /// The media got the command to make its offer or answer.
    var isBuilt = false
    /// The caller's offer, kept by a callee that does not answer before it accepts.
    var pendingOffer: String?
    /// The callee has sent its answer; the caller has taken one.
    var isAnswered = false
    /// The device of the callee whose answer the caller took.
    var device: String?
    /// The offer was sent.
    var isOffered = false
    /// Candidates found before the offer was sent; they must not overtake it.
    var heldCandidates: [SignalingMessage.Candidate] = []
    /// The transport is connected and the peer's identity is verified.
    var isVerified = false
    /// Nothing of the peer arrives.
    var isInterrupted = false
    /// Why it failed at this end while the call was connected; nothing brings it back.
    var failure: String?
    /// A video frame was decoded.
    var hasVideoFrame = false
    /// Audio was decoded.
    var hasAudioSample = false
    /// The search for another network path.
    var restart = IceRestart()
    /// The track halves that have failed.
    var failed: Set<TrackFault.Half> = []
    /// The gates that were set last.
    var gates = MediaGates()
    /// This end receives the peer's media on it and sent `commit`: it shows this connection now.
    var isCommittedHere = false
    /// The peer sent `commit`.
    var isCommittedThere = false

    init(number: Int, media: CallMedia) {
        self.number = number
        self.media = media
    }

    func hasFailed(_ medium: CaptureFault.Medium, _ direction: TrackFault.Direction) -> Bool {
        failed.contains(.init(medium: medium, direction: direction))
    }
}
