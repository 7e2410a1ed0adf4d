import Testing

@testable import MediaEngine

/// Inspects what an end decodes, frame by frame and sample by sample, from now on.
final class DecodedWatch: Sendable {
    fileprivate struct Seen {
        var frames = 0
        var brightFrames = 0
        var blackRun = 0
        var last: [UInt8] = []
        var changes = 0
        var buffers = 0
        var silentRun = 0
        var loudRun = 0
        var channels = 1
        var samplesPerSecond = 48_000
        var samplesPerBuffer = 0
        var pitch = PitchMeter(samplesPerSecond: 48_000)
    }

    private let seen: Shared<Seen>

    init(_ end: CallEnd, _ track: TrackID) async throws {
        let pad = try #require(await end.peer.media?.receiving[track]?.decoded)
        let seen = Shared(Seen())
        self.seen = seen
        let note: @Sendable (PropertyValue?) -> Void = { caps in
            guard let channels = caps?.fields?["channels"]?.intValue, let rate = caps?.fields?["rate"]?.intValue else {
                return
            }
            seen.update {
                $0.channels = channels
                $0.samplesPerSecond = rate
                $0.pitch = PitchMeter(samplesPerSecond: rate)
            }
        }
        pad.onEvent { if case .caps(let caps) = $0 { note(caps) } }
        note(pad.caps)
        pad.probe { buffer in
            _ = buffer.reference.withBytes { bytes in
                seen.update { if track.kind == .video { $0.add(frame: bytes) } else { $0.add(audio: bytes) } }
            }
            return .pass
        }
    }

    var frames: Int { seen.value.frames }
    /// How many frames were not all black.
    var brightFrames: Int { seen.value.brightFrames }
    /// How many black frames arrived since the last other one.
    var blackRun: Int { seen.value.blackRun }
    /// How many frames differed from the previous one.
    var changes: Int { seen.value.changes }
    /// How many silent audio buffers arrived since the last other one.
    var silentRun: Int { seen.value.silentRun }
    /// Whether all audio so far was silent.
    var wasSilentAlways: Bool {
        let now = seen.value
        return now.silentRun == now.buffers
    }
    /// How many audio buffers arrived since the last silent one.
    var loudRun: Int { seen.value.loudRun }
    var buffers: Int { seen.value.buffers }
    /// The pitch since the last ``listenAnew()``.
    var toneHz: Double? { seen.value.pitch.hertz }

    /// The number of channels of the decoded audio.
    var channels: Int { seen.value.channels }

    /// Samples of each channel in the last buffer.
    var samplesPerBuffer: Int { seen.value.samplesPerBuffer }

    /// The pitch of steady audio, without concealed audio and without the rise at the beginning.
    func steadyTone() async throws -> Double {
        try await eventually("audio") { loudRun >= 15 }
        listenAnew()
        try await eventually("a tone") { toneHz != nil }
        return try #require(toneHz)
    }

    func listenAnew() { seen.update { $0.pitch = PitchMeter(samplesPerSecond: $0.samplesPerSecond) } }
}

extension DecodedWatch.Seen {
    /// The luma plane comes first; its last third is chroma.
    fileprivate mutating func add(frame: UnsafeRawBufferPointer) {
        let luma = frame.prefix(frame.count * 2 / 3)
        // Lossy coding changes black, which is 16, a little.
        let isBlack = luma.allSatisfy { $0 < 32 }
        frames += 1
        blackRun = isBlack ? blackRun + 1 : 0
        if !isBlack { brightFrames += 1 }
        let copy = Array(luma)
        if !last.isEmpty, copy != last { changes += 1 }
        last = copy
    }

    fileprivate mutating func add(audio: UnsafeRawBufferPointer) {
        let samples = audio.bindMemory(to: Int16.self)
        let isSilent = samples.allSatisfy { $0.magnitude < 64 }
        buffers += 1
        samplesPerBuffer = samples.count / channels
        silentRun = isSilent ? silentRun + 1 : 0
        loudRun = isSilent ? 0 : loudRun + 1
        for index in stride(from: 0, to: samples.count, by: channels) { pitch.add(samples[index]) }
    }
}
