internal import Synchronization

/// Gives an encoder frames at regular times, and its output the times of capture.
///
/// libvpx divides its rate by the time between two frames. So the frame after a gap gets the bits of the whole gap, many times its share, and the frame rate that
/// libvpx goes by needs a second to recover (`vp8_get_compressed_data`). Frames are missing when the path is full, and this would fill it again.
/// A ``SharedEncoder`` does without: no path holds it up.
final class SteadyFrameTimes: Sendable {
    private let times = Mutex(RegularTimes())

    /// Whether an encoder of this factory needs it.
    static func areNeeded(by factory: String?) -> Bool { factory == "vp8enc" || factory == "vp9enc" }

    /// Regulates the frames that pass `sink`, behind the probes that were there before, and restores their times at `source`.
    func regulate(_ sink: Pad, _ source: Pad) {
        // The pads own the handlers, so these must not own the pads; this owns none.
        sink.retime { [self] time, earliest in times.withLock { $0.regular(time, earliest: earliest) } }
        source.retime { [self] time, _ in times.withLock { $0.captured(time) } }
    }

    /// A captured frame was dropped in front of the encoder.
    func noteDropped() { times.withLock { $0.noteDropped() } }
}

/// Regular times for frames that are captured regularly, although some are missing.
///
/// They fall behind the times of capture with each gap, and are never ahead of them. A pure value; times are running times, in ns.
struct RegularTimes: Sendable {
    /// More frames than an encoder holds.
    private static let most = 64
    /// A time between two frames that is so many times longer or shorter than usual is a pause, unless it comes so often in a row.
    private static let (usual, often) = (0.3...3, 4)
    /// The weight of the latest time between two frames.
    private static let weight = 0.125

    /// The usual time between two frames; nil before the second one.
    private var interval: Double?
    private var last: (captured: UInt64, regular: UInt64)?
    private var dropped = 0
    private var unusual = 0
    /// The frames in the encoder, by their regular times.
    private var waiting: [(regular: UInt64, captured: UInt64)] = []

    mutating func noteDropped() { dropped += 1 }

    /// The regular time of the next frame; it is not before `earliest`, when its source began.
    mutating func regular(_ captured: UInt64, earliest: UInt64 = 0) -> UInt64 {
        var regular = next(captured)
        // Ahead of the capture, or of another source that began later: both begin anew together.
        if regular > captured || regular < earliest { regular = captured }
        last = (captured, regular)
        dropped = 0
        waiting.append((regular, captured))
        if waiting.count > Self.most { waiting.removeFirst() }
        return regular
    }

    /// When the frame with this regular time was captured.
    mutating func captured(_ regular: UInt64) -> UInt64 {
        guard let index = waiting.firstIndex(where: { $0.regular == regular }) else { return regular }
        defer { waiting.removeFirst(index + 1) }
        return waiting[index].captured
    }

    private mutating func next(_ captured: UInt64) -> UInt64 {
        guard let last else { return captured }
        // Behind a gap those that were dropped count, too.
        let passed = Double(captured > last.captured ? captured - last.captured : 1) / Double(dropped + 1)
        let former = interval ?? passed
        unusual = Self.usual.contains(passed / former) ? 0 : unusual + 1
        if unusual == 0 {
            interval = former + Self.weight * (passed - former)
        } else if unusual == Self.often {
            (interval, unusual) = (passed, 0)
        }
        return last.regular + UInt64(max(interval ?? passed, 1))
    }
}
