internal import Synchronization

/// Watches the output of a decoder: counts it, reports the first buffer, and takes the enabled measurements.
///
/// Runs on the streaming thread; it changes and copies nothing. When it measures, it reads every frame up to the first difference from
/// the previous one, and every sample of the first channel.
final class DecodedMeter: Sendable {
    private struct State {
        var measurements: Set<MediaMeasurement> = []
        var decoded = 0
        var isShown = false
        var freezes = FreezeMeter()
        var format: SampleFormat?
        var frameSize: FrameSize?
        /// Nil while it is not enabled, as everything below.
        var distinct: Int?
        var last: BufferRef?
        var still: StillMeter?
        var marks: FrameMarkMeter?
        var pitch: PitchMeter?
        var level: LevelMeter?
        var ticks: AudioQualityMeter?
        var speech: SpeechMeter?

        mutating func addFrame(at instant: ClockReading, _ announcement: AnnouncementWatch?) {
            freezes.add(
                at: instant, live: announcement?.liveTime(within: max(.zero, freezes.wait(at: instant))))
        }

        /// With the time since the latest media as a freeze or a gap, as far as the peer's media was to be live.
        func ending(_ announcement: AnnouncementWatch?) -> State {
            var state = self
            let now = ClockReading.now
            state.freezes = freezes.ending(
                at: now, live: announcement?.liveTime(within: max(.zero, freezes.wait(at: now))))
            let quiet = ticks?.wait(at: FrameStamp.preciseNow) ?? 0
            let live = announcement?.liveTime(within: .milliseconds(quiet)) ?? .milliseconds(quiet)
            state.ticks = ticks?.ending(afterMs: live / .milliseconds(1))
            return state
        }

        /// Starts the enabled measurements and ends the others.
        mutating func applyMeasurements() {
            let isCompared = measurements.contains(.distinctFrames)
            distinct = isCompared ? distinct ?? 0 : nil
            still = isCompared ? still ?? StillMeter() : nil
            if !isCompared { last = nil }
            marks = measurements.contains(.frameMarks) ? marks ?? FrameMarkMeter() : nil
            let rate = format?.samplesPerSecond
            pitch = measurements.contains(.pitch) ? pitch ?? rate.map { PitchMeter(samplesPerSecond: $0) } : nil
            level = measurements.contains(.level) ? level ?? rate.map { LevelMeter(samplesPerSecond: $0) } : nil
            ticks =
                measurements.contains(.audioTicks) ? ticks ?? rate.map { AudioQualityMeter(samplesPerSecond: $0) } : nil
            speech = measurements.contains(.speech) ? speech ?? rate.map { SpeechMeter(samplesPerSecond: $0) } : nil
        }
    }

    /// The shape of decoded frames whose luma comes first, row by row.
    private struct FrameSize {
        let width: Int
        let height: Int

        /// Nil unless `caps` are those of 8-bit 4:2:0 frames.
        init?(caps: PropertyValue?) {
            guard let fields = caps?.fields, let format = fields["format"]?.stringValue,
                ["I420", "YV12", "NV12"].contains(format), let width = fields["width"]?.intValue,
                let height = fields["height"]?.intValue
            else { return nil }
            (self.width, self.height) = (width, height)
        }
    }

    private let kind: MediaKind
    private let playout: Playout
    private let announcement: AnnouncementWatch?
    private let state = Mutex(State())

    /// Tells `playout` how late each frame or buffer is, and `announcement` what media is black or silent.
    init(kind: MediaKind, playout: Playout, announcement: AnnouncementWatch? = nil) {
        (self.kind, self.playout, self.announcement) = (kind, playout, announcement)
    }

    /// Watches everything that leaves `pad`; `onFirst` is called once, on the streaming thread.
    func watch(_ pad: Pad, onFirst: @escaping @Sendable () -> Void) {
        pad.onEvent { [weak self] event in if case .caps(let caps) = event { self?.noteFormat(caps) } }
        pad.observeTimes { [weak self] buffer, time in
            if self?.add(buffer, presentedAt: time) == true { onFirst() }
        }
    }

    /// Selects what is measured from the next buffer on; a new measurement starts from zero.
    func measure(_ measurements: Set<MediaMeasurement>) {
        state.withLock { state in
            state.measurements = measurements
            state.applyMeasurements()
        }
        if measurements.contains(.blankMedia) { announcement?.measure() }
    }

    private func noteFormat(_ caps: PropertyValue) {
        guard kind == .audio else {
            let size = FrameSize(caps: caps)
            return state.withLock { $0.frameSize = size }
        }
        let format = SampleFormat(caps: caps)
        state.withLock { state in
            guard state.format != format else { return }
            (state.format, state.pitch, state.level) = (format, nil, nil)
            (state.ticks, state.speech) = (nil, nil)
            state.applyMeasurements()
        }
    }

    /// Whether the buffer was the first.
    private func add(_ buffer: PassingBuffer, presentedAt time: UInt64?) -> Bool {
        let wait = time.map { playout.note(kind, presentedAt: $0, now: Pipeline.now) } ?? .zero
        return kind == .video
            ? addVideo(buffer, presentedAt: time, wait) : addAudio(buffer, presentedAt: time, wait)
    }

    private func addVideo(_ buffer: PassingBuffer, presentedAt time: UInt64?, _ wait: Duration) -> Bool {
        let instant = ClockReading.now + wait
        let isDistinct = isCompared && isDistinct(buffer.reference)
        let follows = announcement?.expectsLive != false
        readMark(buffer, presentedAt: time, wait)
        if let size = state.withLock({ $0.measurements.contains(.blankMedia) ? $0.frameSize : nil }) {
            announcement?.note(frame: buffer.reference, width: size.width, height: size.height)
        }
        return state.withLock { state in
            state.decoded += 1
            if isDistinct { state.distinct? += 1 }
            state.still?.add(at: instant, isDistinct: isDistinct)
            if !follows { state.still?.interrupt() }
            state.addFrame(at: instant, announcement)
            return state.decoded == 1
        }
    }

    private func readMark(_ buffer: PassingBuffer, presentedAt time: UInt64?, _ wait: Duration) {
        let (size, isComparing) = state.withLock { state in
            (state.marks == nil ? nil : state.frameSize, state.marks?.isComparing == true)
        }
        guard let size else { return }
        let now = FrameStamp.now
        let read = buffer.reference.withBytes { luma -> (FrameMark, ReferenceBand.Difference?)? in
            guard let mark = FrameMark(luma: luma, width: size.width, height: size.height) else { return nil }
            guard isComparing else { return (mark, nil) }
            let band = ReferenceBand(of: mark.number, width: size.width, height: size.height)
            return (mark, band?.difference(to: luma))
        }
        let age = state.withLock { state -> Int? in
            let age = state.marks?.add(
                read??.0, at: UInt32(truncatingIfNeeded: now), shownIn: wait / .milliseconds(1))
            if age != nil, let difference = read??.1 { state.marks?.add(difference) }
            return age
        }
        guard let age, let time else { return }
        playout.noteFrame(capturedAt: Double(now - age), presentedAt: Double(time) / 1e6)
    }

    /// A frame arrived that is not decoded.
    func noteSkipped(presentedAt time: UInt64?) {
        let wait = time.map { playout.note(kind, presentedAt: $0, now: Pipeline.now) } ?? .zero
        state.withLock { $0.addFrame(at: .now + wait, announcement) }
    }

    /// The media is shown from now on, or no longer: what comes next follows nothing.
    func setShown(_ isShown: Bool) {
        let isNew = state.withLock { state in
            guard state.isShown != isShown else { return false }
            state.isShown = isShown
            if !isShown { state = state.ending(announcement) }
            state.freezes.interrupt(at: .now)
            return true
        }
        if isNew { interruptDecoding() }
    }

    /// Some media is not decoded: what comes next follows nothing.
    func interruptDecoding() {
        state.withLock { state in
            state.still?.interrupt()
            state.marks?.interrupt()
            state.ticks?.interrupt()
            state.speech?.interrupt()
        }
    }

    private var isCompared: Bool { state.withLock { $0.distinct != nil } }

    private func isDistinct(_ frame: BufferRef) -> Bool {
        let last = state.withLock { state in
            // No longer enabled.
            guard state.distinct != nil else { return state.last }
            defer { state.last = frame }
            return state.last
        }
        return last.map { !$0.hasSameBytes(as: frame) } ?? true
    }

    private func addAudio(_ buffer: PassingBuffer, presentedAt time: UInt64?, _ wait: Duration) -> Bool {
        return state.withLock { state in
            guard let format = state.format else { return false }
            if let announcement, let ticks = state.ticks {
                let quiet = Duration.milliseconds(max(0, ticks.wait(at: FrameStamp.preciseNow)))
                // The peer's audio was muted, off or held.
                if announcement.liveTime(within: quiet) < quiet || !announcement.expectsLive {
                    state.ticks?.interrupt()
                }
            }
            let isFirst = state.decoded == 0
            let samples = buffer.byteCount / MemoryLayout<Int16>.size / format.channels
            state.decoded += samples
            if state.measurements.contains(.blankMedia) {
                let milliseconds = Double(samples) / Double(format.samplesPerSecond) * 1_000
                announcement?.note(audio: buffer.reference, milliseconds: milliseconds)
            }
            if let presentation = time.map({ Double($0) / 1e6 }) {
                state.speech?.begin(presentation: presentation)
                state.ticks?.begin(
                    arrival: FrameStamp.preciseNow + wait / .milliseconds(1), presentation: presentation,
                    frameSkew: playout.frameSkew(at: presentation))
            }
            if state.pitch != nil || state.level != nil || state.ticks != nil || state.speech != nil {
                measure(buffer.reference, format, &state)
            }
            return isFirst && state.decoded > 0
        }
    }

    private func measure(_ buffer: BufferRef, _ format: SampleFormat, _ state: inout State) {
        // Taken and put back, so that their windows are not copied.
        var (pitch, level) = (state.pitch.take(), state.level.take())
        var (ticks, speech) = (state.ticks.take(), state.speech.take())
        _ = buffer.withBytes { bytes in
            let samples = bytes.bindMemory(to: Int16.self)
            for index in stride(from: 0, to: samples.count, by: format.channels) {
                pitch?.add(samples[index])
                level?.add(samples[index])
            }
            ticks?.add(samples, channels: format.channels)
            speech?.add(samples, channels: format.channels)
        }
        (state.pitch, state.level) = (pitch.take(), level.take())
        (state.ticks, state.speech) = (ticks.take(), speech.take())
    }

    var hasDecoded: Bool { state.withLock { $0.decoded > 0 } }

    /// Fills in what was counted and measured so far.
    func report(into received: inout PeerStatistics.Received) {
        state.withLock { state in
            received.decoded = state.decoded
            switch kind {
            case .video:
                received.distinctFrames = state.distinct
                received.framesPerSecond = state.freezes.framesPerSecond(at: .now)
                let freezes = (state.isShown ? state.ending(announcement) : state).freezes
                received.freezes = freezes.count
                received.frozenSeconds = freezes.duration
                var quality = VideoQuality(longestFreezeMs: freezes.longest * 1_000)
                quality.playoutDelayMs = playout.delayMs
                quality.longestStillMs = state.still.map { $0.longest * 1_000 }
                state.marks?.report(into: &quality)
                received.frameDelayMs = state.marks?.latestDelay
                received.quality = quality
            case .audio:
                received.sampleRate = state.format?.samplesPerSecond
                received.toneHz = state.pitch?.hertz
                received.audioLevel = state.level?.level
                received.audioEnergy = state.level?.energy
                received.measuredSeconds = state.level?.duration
                received.clippedSeconds = state.level?.clipped
                received.audioQuality = (state.isShown ? state.ending(announcement) : state).ticks?.result
                received.speechQuality = state.speech?.result
            }
        }
    }
}

/// An optional measurement of decoded media.
///
/// Each one costs processor time, since it reads the media itself; the counters run in any case.
public enum MediaMeasurement: String, Sendable, Hashable, CaseIterable {
    /// The pitch of a tone: ``PeerStatistics/Received/toneHz``.
    case pitch
    /// How loud the audio is: ``PeerStatistics/Received/audioLevel``, the energy and what is clipped; the first two are in a ``StatisticsReport``, too.
    case level
    /// Which frames differ from the one before: ``PeerStatistics/Received/distinctFrames`` and ``VideoQuality/longestStillMs``. Keeps one decoded
    /// frame.
    case distinctFrames
    /// Which frames of a source that marks them are missing, repeated or out of order, how old they are, and what coding did to them: ``VideoQuality``.
    case frameMarks
    /// The delay and the interruptions of audio that ticks: ``AudioQuality``.
    case audioTicks
    /// How much the spectrum of ``AudioSource/speech`` differs from the one that was sent: ``SpeechQuality``.
    case speech
    /// Live media that is black or silent, and muted media that is not: ``MediaOutputs/broken(_:)``.
    case blankMedia
}
