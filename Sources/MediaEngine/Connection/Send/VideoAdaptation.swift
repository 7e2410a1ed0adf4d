/// What is kept longest when the network takes too little for the video, or the machine is too slow for it (W3C `RTCDegradationPreference`).
public enum DegradationPreference: String, Sendable, CaseIterable {
    /// Smaller frames, as many as before as long as they are not tiny (W3C `maintain-framerate`).
    case motion
    /// Fewer frames, as large as before (W3C `maintain-resolution`).
    case detail
    /// Smaller frames first, then fewer (W3C `balanced`).
    case balanced
}

/// A change of the size or the rate of sent frames because of the network or of the machine.
public struct VideoAdaptation: Sendable, Equatable {
    /// The frames that are sent.
    public struct Frames: Sendable, Equatable {
        /// In pixels.
        public let width: Int
        /// In pixels.
        public let height: Int
        /// In frames a second.
        public let rate: Double

        /// Makes a description of frames.
        public init(width: Int, height: Int, rate: Double) {
            (self.width, self.height, self.rate) = (width, height, rate)
        }
    }
    /// Why it happened.
    public enum Reason: String, Sendable {
        /// The path takes too little.
        case bandwidth
        /// The machine is too slow to encode all frames.
        case cpu
        /// The path takes more again, or the machine has time again.
        case recovery
    }

    /// What was sent before.
    public let from: Frames
    /// What is sent from now on.
    public let to: Frames
    /// Why it happened.
    public let reason: Reason

    /// Makes an adaptation.
    public init(from: Frames, to: Frames, reason: Reason) {
        (self.from, self.to, self.reason) = (from, to, reason)
    }
}
