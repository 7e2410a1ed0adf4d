public import CallProtocol

/// A report of the media of one peer connection.
public enum MediaFact: Sendable, Equatable {
    /// The offer is made and set.
    case offerCreated(sdp: String)
    /// The answer is made and set.
    case answerCreated(sdp: String)
    /// A candidate of this end, or the end of candidates.
    case localCandidate(SignalingMessage.Candidate)
    /// ICE found a working candidate pair.
    case iceConnected
    /// DTLS is connected and the peer's certificate matches its fingerprint.
    case verified
    /// The first video frame was decoded.
    case firstVideoFrame
    /// The first audio samples were decoded.
    case firstAudioSample
    /// The first video frame passed the receive gate.
    case firstVideoShown
    /// The first audio samples passed the receive gate.
    case firstAudioHeard
    /// No media arrives any more.
    case interrupted
    /// Media arrives again.
    case resumed
    /// The network of this machine changed in a way that concerns the path to the peer.
    case networkChanged
    /// Nothing arrives on the path to the peer, and it is being checked; sooner than ``mediaMissing``.
    case pathChecked
    /// Media that came regularly has stopped, and nothing else arrives; sooner than ``pathSilent``.
    case mediaMissing
    /// Nothing arrives on the path to the peer, also no reports; sooner than ``interrupted``.
    case pathSilent
    /// This end's parameters for another path; its candidates follow.
    case iceParameters(SignalingMessage.IceParameters)
    /// Another path carries the media.
    case pathChanged(NetworkPathChange)
    /// Candidate gathering is complete; the text describes how it ended.
    case gathered(String)
    /// The peer pressed a digit: `0` to `9`, `*`, `#`, or `A` to `D`.
    case dtmf(digit: String)
    /// Sent video has this frame size from now on.
    case frameSizeSent(FrameSize)
    /// Smaller or fewer frames are sent than are captured, or more again.
    case videoAdapted(VideoChange)
    /// Decoded video has this frame size from now on.
    case frameSizeReceived(FrameSize)
    /// A source could not be opened; its medium is not sent until it is turned on again.
    case captureFailed(CaptureFault)
    /// A source delivers nothing any more; a moving test pattern or silence replaces it.
    case captureLost(CaptureFault)
    /// The source is back.
    case captureRestored(CaptureFault.Medium)
    /// Half of a track failed; the rest continues.
    case trackFailed(TrackFault)
    /// The peer opened a data channel.
    case dataChannel
    /// Something else failed; the call continues without it.
    case warning(String)
    /// A recording lacks something from here on, or there is none; the call goes on.
    case recordingFailed(String)
    /// The media cannot continue on this peer connection.
    case failed(MediaFault)
}

/// Why the media cannot continue.
public enum MediaFault: Sendable, Equatable {
    /// The peer's certificate is not the one that its SDP named.
    case security(text: String)
    /// The peer's SDP cannot be used.
    case incompatible(text: String)
    /// Anything else.
    case other(text: String)
}

/// A change of the sent video because of the network (``MediaConfiguration/degradationPreference``).
public struct VideoChange: Sendable, Equatable {
    /// Sent video.
    public struct Video: Sendable, Equatable {
        /// The size of its frames.
        public var size: FrameSize
        /// In frames a second.
        public var frameRate: Double

        /// Makes a description.
        public init(size: FrameSize, frameRate: Double) {
            self.size = size
            self.frameRate = frameRate
        }
    }
    /// Why it happened.
    public enum Reason: String, Sendable {
        /// The network takes too little.
        case bandwidth
        /// The machine is too slow to encode all frames.
        case cpu
        /// The network takes more again, or the machine has time again.
        case recovery
    }

    /// What was sent before.
    public var from: Video
    /// What is sent from now on.
    public var to: Video
    /// Why it happened.
    public var reason: Reason

    /// Makes a change.
    public init(from: Video, to: Video, reason: Reason) {
        self.from = from
        self.to = to
        self.reason = reason
    }
}

/// The size of video frames as sent and decoded, in pixels, after rotation.
public struct FrameSize: Sendable, Equatable {
    /// In pixels.
    public var width: Int
    /// In pixels.
    public var height: Int

    /// Makes a size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Width by height.
    public var aspectRatio: Double { height > 0 ? Double(width) / Double(height) : 0 }
}
