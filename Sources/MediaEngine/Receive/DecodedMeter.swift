internal import Synchronization

/// Looks at what a decoder gives: counts it, and tells the first.
///
/// Runs on the streaming thread. It reads every picture until the first difference to the one before, and every sample of
/// the first channel; it changes and copies nothing.
final class DecodedMeter: Sendable {
    private struct State {
        var decoded = 0
        var distinct = 0
        var last: BufferRef?
        var freezes = FreezeMeter()
        var audio: (format: AudioFormat, pitch: PitchMeter, level: LevelMeter)?
    }

    /// The shape of decoded sound.
    struct AudioFormat: Equatable {
        let channels: Int
        let samplesPerSecond: Int

        /// Nil unless `caps` are those of interleaved signed 16-bit samples.
        init?(caps: PropertyValue?) {
            guard let fields = caps?.fields, fields["format"]?.stringValue == "S16LE",
                let channels = fields["channels"]?.intValue, (1...64).contains(channels),
                let rate = fields["rate"]?.intValue, rate > 0
            else { return nil }
            self.channels = channels
            samplesPerSecond = rate
        }
    }

    private let kind: MediaKind
    private let state = Mutex(State())

    init(kind: MediaKind) { self.kind = kind }

    /// Looks at everything that leaves `pad`; `onFirst` is called once, on the streaming thread.
    func watch(_ pad: Pad, onFirst: @escaping @Sendable () -> Void) {
        pad.onEvent { [weak self] event in if case .caps(let caps) = event { self?.noteFormat(caps) } }
        pad.probe { [weak self] buffer in
            if self?.add(buffer) == true { onFirst() }
            return .pass
        }
    }

    private func noteFormat(_ caps: PropertyValue) {
        guard kind == .audio else { return }
        state.withLock { state in
            let format = AudioFormat(caps: caps)
            if state.audio?.format != format {
                state.audio = format.map {
                    let rate = $0.samplesPerSecond
                    return ($0, PitchMeter(samplesPerSecond: rate), LevelMeter(samplesPerSecond: rate))
                }
            }
        }
    }

    /// Whether the buffer was the first.
    private func add(_ buffer: BufferRef) -> Bool { kind == .video ? addPicture(buffer) : addSound(buffer) }

    private func addPicture(_ buffer: BufferRef) -> Bool {
        let last = state.withLock { state in
            defer { state.last = buffer }
            return state.last
        }
        let isDistinct = last.map { !$0.hasSameBytes(as: buffer) } ?? true
        return state.withLock { state in
            state.decoded += 1
            if isDistinct { state.distinct += 1 }
            state.freezes.add(at: .now)
            return state.decoded == 1
        }
    }

    private func addSound(_ buffer: BufferRef) -> Bool {
        state.withLock { state in
            guard var audio = state.audio.take() else { return false }
            let isFirst = state.decoded == 0
            let count = buffer.withBytes { bytes in
                let samples = bytes.bindMemory(to: Int16.self)
                for index in stride(from: 0, to: samples.count, by: audio.format.channels) {
                    audio.pitch.add(samples[index])
                    audio.level.add(samples[index])
                }
                return samples.count / audio.format.channels
            }
            // Taken and put back, so that the meter's windows are not copied.
            state.audio = audio
            state.decoded += count ?? 0
            return isFirst && state.decoded > 0
        }
    }

    var hasDecoded: Bool { state.withLock { $0.decoded > 0 } }

    /// Fills in what was measured so far.
    func report(into received: inout PeerStatistics.Received) {
        state.withLock { state in
            received.decoded = state.decoded
            switch kind {
            case .video:
                received.distinctFrames = state.distinct
                received.framesPerSecond = state.freezes.framesPerSecond(at: .now)
                received.freezes = state.freezes.count
                received.frozenSeconds = state.freezes.duration
            case .audio:
                received.sampleRate = state.audio?.format.samplesPerSecond
                received.toneHz = state.audio?.pitch.hertz
                received.audioLevel = state.audio?.level.level
                received.audioEnergy = state.audio?.level.energy
                received.measuredSeconds = state.audio?.level.duration
            }
        }
    }
}
