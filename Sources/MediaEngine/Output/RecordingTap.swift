internal import Synchronization

/// Taps one track for a recording: closed until it is opened, then records from the next key frame on.
///
/// Runs on the streaming thread and never blocks: it passes references on.
final class RecordingTap: Sendable {
    private enum Phase { case closed, waitingForKeyFrame, open }

    /// How long a key frame may take; the request or the frame may have been lost.
    private static let requestInterval = Duration.milliseconds(500)

    private struct State {
        var phase = Phase.closed
        /// When a key frame was requested.
        var requested = ContinuousClock.now
        /// The shape of the present packets; nil until the first of them, so that it is made once for all.
        var shape: String?
    }

    let track: TrackID
    private let codec: Codec
    private let pad: Pad
    private let state = Mutex(State())
    private let onOpen: @Sendable (RecordingTap) -> Void
    /// False when there is no room for the packet.
    private let take: @Sendable (RecordedPacket) -> Bool

    /// Watches what passes `pad`, a sink pad behind a depayloader or an encoder.
    ///
    /// `onOpen` runs before the first packet of each opening.
    init(
        _ track: TrackID, _ codec: Codec, at pad: Pad, onOpen: @escaping @Sendable (RecordingTap) -> Void = { _ in },
        take: @escaping @Sendable (RecordedPacket) -> Bool
    ) {
        self.track = track
        self.codec = codec
        self.pad = pad
        self.onOpen = onOpen
        self.take = take
        pad.onEvent { [weak self] event in if case .caps = event { self?.state.withLock { $0.shape = nil } } }
        pad.observe { [weak self] buffer, pad in self?.note(buffer, at: pad) }
    }

    private var kind: MediaKind { track.kind }

    /// Records from now on; video from the next key frame, which is requested.
    func open() {
        onOpen(self)
        begin { $0 == .closed }
    }

    /// Restarts with the next key frame, if it is open.
    func restart() { begin { $0 != .closed } }

    private func begin(if isPossible: (Phase) -> Bool) {
        let begins = state.withLock { state in
            guard isPossible(state.phase) else { return false }
            (state.phase, state.requested) = (.waitingForKeyFrame, .now)
            return true
        }
        if begins, kind == .video { pad.requestKeyFrame() }
    }

    /// Leaves out everything until it is opened again; the file then has a gap.
    func close() { state.withLock { $0.phase = .closed } }

    private func note(_ buffer: BufferRef, at pad: Pad) {
        let isKey = kind == .audio || !buffer.isDelta
        let (shape, isLate) = state.withLock { state -> (String?, Bool) in
            if state.phase == .waitingForKeyFrame {
                let isLate = !isKey && .now - state.requested > Self.requestInterval
                if isLate { state.requested = .now }
                guard isKey else { return (nil, isLate) }
                state.phase = .open
            }
            guard state.phase == .open else { return (nil, false) }
            state.shape = state.shape ?? pad.capsText
            return (state.shape, false)
        }
        if isLate { pad.requestKeyFrame() }
        guard let shape, let time = pad.runningTime(of: buffer) else { return }
        if take(RecordedPacket(track: track, codec: codec, buffer: buffer, time: time, shape: shape, isKey: isKey)) {
            return
        }
        // Later packets may need the lost one.
        restart()
    }
}

/// One encoded video frame or audio packet on its way into a recording.
struct RecordedPacket: Sendable {
    let track: TrackID
    let codec: Codec
    /// Shared with its other users.
    let buffer: BufferRef
    /// The presentation time on the clock that all pipelines share, in ns.
    let time: UInt64
    /// Its caps, as GStreamer writes them.
    let shape: String
    /// Whether decoding can start here.
    let isKey: Bool

    var kind: MediaKind { track.kind }
}

/// The moment at which the recordings of a call start, so that both directions can be played in sync.
final class RecordingZero: Sendable {
    private let begun = Mutex<UInt64?>(nil)

    /// In ns of the clock that all pipelines share; nil before anything is recorded.
    var time: UInt64? { begun.withLock { $0 } }

    /// Sets it to now, unless it was set before.
    func begin() { begun.withLock { $0 = $0 ?? Pipeline.now } }
}
