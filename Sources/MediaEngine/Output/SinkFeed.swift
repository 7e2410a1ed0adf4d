internal import Synchronization

/// Pushes what leaves an outlet into the pipeline of a sink, by reference, with the time at which it is to be seen or heard.
final class SinkFeed: Sendable {
    /// How much waits for a slow sink at most; then the oldest is dropped.
    static let maximumAudio: Duration = .milliseconds(300)
    private static let maximumVideo: Duration = .milliseconds(70)
    /// What waits for its time is not bounded more tightly than this, in ns.
    private static let slack: UInt64 = 70_000_000
    /// A sound card plays what is as quiet as this, of 32,768, unnoticed twice.
    private static let quietest = 300
    /// How late media without ``Playout`` may be for a sink that waits for its time, in ns.
    private static let tolerance = 20_000_000

    private struct State {
        var caps: CapsRef?
        /// What keeps the size of the first frame; nil: nothing, or it does already.
        var size: Element?
        var audio = AudioPlayout()
        /// How long buffers wait in the source for their time, in ns.
        var waiting: UInt64 = 0
    }
    private let state = Mutex(State())
    private let track: TrackID
    private var kind: MediaKind { track.kind }
    private let playout: Playout?
    private let source: Element
    /// Holds each frame until its time; whether a video sink does that itself depends on its description.
    private let wait: Element?

    init(_ track: TrackID, _ playout: Playout?) throws(MediaError) {
        (self.track, self.playout) = (track, playout)
        source = try Element("appsrc")
        wait = track.kind == .video && playout != nil ? try Element("clocksync") : nil
        for (name, value) in [
            ("format", "time"), ("is-live", "true"), ("leaky-type", "downstream"), ("max-bytes", "0"),
            ("max-buffers", "0"), ("min-latency", playout == nil ? "\(Self.tolerance)" : "0"),
        ] { try source.set(name, value) }
        limit(waiting: 0)
    }

    /// What to add to the pipeline.
    var elements: [Element] { [source, wait].compactMap(\.self) }

    /// Links to the sink; played audio passes `probes`.
    ///
    /// Frames of all sizes leave the capsfilter `size` of the sink in the size of the first one: a camera cannot change its size while a program reads it.
    func link(to sink: Element, in bin: Element, through probes: EchoProbes?) throws(MediaError) {
        state.withLock { $0.size = sink.child("size") }
        if let wait { try source.link(to: wait) }
        if let probes {
            try probes.insert(between: wait ?? source, and: sink, in: bin)
        } else {
            try (wait ?? source).link(to: sink)
        }
    }

    func push(_ buffer: OutletBuffer) {
        state.withLock { state in
            // The queue keeps caps and data in order.
            if state.caps?.isSame(as: buffer.caps) != true { try? source.set("caps", buffer.caps.text) }
            if let size = state.size.take(), let width = buffer.caps.fields["width"]?.intValue,
                let height = buffer.caps.fields["height"]?.intValue
            {
                try? size.set("caps", "video/x-raw,width=\(width),height=\(height)")
            }
            state.caps = buffer.caps
            let target = playout?.shift(of: track) ?? 0
            // Setting it for every buffer would cost more than it bounds.
            if target > state.waiting || state.waiting - target > Self.slack {
                state.waiting = target
                limit(waiting: target)
            }
            if kind == .video {
                _ = source.push(buffer.buffer.copy(at: buffer.time + target))
            } else {
                pushAudio(buffer, later: target, &state)
            }
        }
    }

    private func pushAudio(_ packet: OutletBuffer, later target: UInt64, _ state: inout State) {
        let duration = packet.buffer.duration
        let verdict = state.audio.judge(
            presentedAt: packet.time, duration: duration, now: Pipeline.now, target: target,
            isQuiet: { isQuiet(packet) })
        let time = packet.time + (state.audio.shift ?? target)
        switch verdict {
        case .play: _ = source.push(packet.buffer.copy(at: time))
        case .playLater: _ = source.push(packet.buffer.copy(at: time, isLater: true))
        case .playTwice:
            _ = source.push(packet.buffer.copy(at: time - duration))
            _ = source.push(packet.buffer.copy(at: time))
        case .skip: break
        }
    }

    private func isQuiet(_ audio: OutletBuffer) -> Bool {
        guard SampleFormat(caps: .structure(name: "", audio.caps.fields)) != nil else { return false }
        return audio.buffer.withBytes { bytes in
            bytes.bindMemory(to: Int16.self).allSatisfy { abs(Int($0)) <= Self.quietest }
        } ?? false
    }

    private func limit(waiting: UInt64) {
        let limit = kind == .video ? Self.maximumVideo : Self.maximumAudio
        try? source.set("max-time", String(waiting + UInt64(limit / .nanoseconds(1))))
    }
}
