internal import Dispatch

/// How much video a track sends: the rate of the encoder, the size and number of its frames, and how fast its packets leave.
struct VideoRate: Sendable {
    let encoder: EncoderControl
    private let scaler: VideoScaler
    private let pacer: Pacer
    private let keyFrames: KeyFrameLimit
    private let queue: DispatchQueue
    /// Runs after each change, with what became of the frames.
    private let onChange: @Sendable (VideoAdaptation?) -> Void

    /// `queue` is the track's own.
    init(
        _ encoder: EncoderControl, _ scaler: VideoScaler, _ pacer: Pacer, _ keyFrames: KeyFrameLimit,
        on queue: DispatchQueue, onChange: @escaping @Sendable (VideoAdaptation?) -> Void
    ) {
        (self.encoder, self.scaler, self.pacer, self.keyFrames) = (encoder, scaler, pacer, keyFrames)
        (self.queue, self.onChange) = (queue, onChange)
    }

    /// Keeps the rate of the encoder within what the path takes, in kbit/s; nil: it takes everything.
    func limit(toKbit availableKbit: Int?) {
        // The encoder may be busy.
        queue.async { [encoder, onChange] in
            // A property that the encoder has at all has been set before.
            try? encoder.limit(toKbit: availableKbit)
            onChange(nil)
        }
    }

    /// The captured frames; nil before the first one.
    var capture: VideoLadder.Capture? { scaler.capture }

    /// Sends a part of the captured frames, since the path takes no more.
    func scale(to step: VideoLadder.Step) {
        scaler.allow(step)
        updateFrames()
    }

    /// Sends the part of the captured frames that the path takes and the encoder can make.
    func updateFrames() {
        queue.async { [scaler, encoder, onChange] in
            let change = scaler.update()
            // A property that the encoder has at all has been set before.
            try? encoder.expect(oneOf: scaler.step.every)
            onChange(change)
        }
    }

    /// Whether nothing is held back because of the path.
    var isFull: Bool { !encoder.limitation.isNow && scaler.allowed == VideoLadder.Step() }

    /// Spreads the packets of large frames, at this rate in bit/s; nil: not at all.
    func pace(at bitrate: Double?) { pacer.set(bitrate: bitrate) }

    /// Whether a queue on the path is full, and how long it takes to empty: key frames wait for that.
    func setCongested(_ isCongested: Bool, backlog: Duration?) { keyFrames.setCongested(isCongested, backlog: backlog) }

    /// Sends a key frame soon, with those that the peer asks for.
    func requestKeyFrame() { keyFrames.request() }
}
