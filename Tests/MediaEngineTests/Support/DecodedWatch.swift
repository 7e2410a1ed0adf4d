import Testing

@testable import MediaEngine

/// Looks into what an end decodes, picture by picture and sample by sample, from its making on.
final class DecodedWatch: Sendable {
    fileprivate struct Seen {
        var pictures = 0
        var brightPictures = 0
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

    init(_ end: CallEnd, _ kind: MediaKind) async throws {
        let pad = try #require(await end.peer.media?.receiving[kind]?.decoded)
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
            _ = buffer.withBytes { bytes in
                seen.update { if kind == .video { $0.add(picture: bytes) } else { $0.add(sound: bytes) } }
            }
            return .pass
        }
    }

    var pictures: Int { seen.value.pictures }
    /// Pictures with anything in them that is not black.
    var brightPictures: Int { seen.value.brightPictures }
    /// How many black pictures came since the last one that was not.
    var blackRun: Int { seen.value.blackRun }
    /// How many pictures differed from the one before.
    var changes: Int { seen.value.changes }
    /// How many silent buffers of sound came since the last one that was not.
    var silentRun: Int { seen.value.silentRun }
    /// Whether all sound up to now was silent.
    var wasSilentAlways: Bool {
        let now = seen.value
        return now.silentRun == now.buffers
    }
    /// How many buffers of sound came since the last one that was silent.
    var loudRun: Int { seen.value.loudRun }
    var buffers: Int { seen.value.buffers }
    /// The pitch of what came since the last ``listenAnew()``.
    var toneHz: Double? { seen.value.pitch.hertz }

    /// How many channels what is decoded has.
    var channels: Int { seen.value.channels }

    /// Samples of each channel in the last buffer.
    var samplesPerBuffer: Int { seen.value.samplesPerBuffer }

    /// The pitch of steady sound: what is concealed or swells at its beginning does not count.
    func steadyTone() async throws -> Double {
        try await eventually("sound") { loudRun >= 15 }
        listenAnew()
        try await eventually("a tone") { toneHz != nil }
        return try #require(toneHz)
    }

    func listenAnew() { seen.update { $0.pitch = PitchMeter(samplesPerSecond: $0.samplesPerSecond) } }
}

extension DecodedWatch.Seen {
    /// The luma plane comes first; its last third is chroma.
    fileprivate mutating func add(picture: UnsafeRawBufferPointer) {
        let luma = picture.prefix(picture.count * 2 / 3)
        // Lossy coding moves black, which is 16, by a little.
        let isBlack = luma.allSatisfy { $0 < 32 }
        pictures += 1
        blackRun = isBlack ? blackRun + 1 : 0
        if !isBlack { brightPictures += 1 }
        let copy = Array(luma)
        if !last.isEmpty, copy != last { changes += 1 }
        last = copy
    }

    fileprivate mutating func add(sound: UnsafeRawBufferPointer) {
        let samples = sound.bindMemory(to: Int16.self)
        let isSilent = samples.allSatisfy { $0.magnitude < 64 }
        buffers += 1
        samplesPerBuffer = samples.count / channels
        silentRun = isSilent ? silentRun + 1 : 0
        loudRun = isSilent ? 0 : loudRun + 1
        for index in stride(from: 0, to: samples.count, by: channels) { pitch.add(samples[index]) }
    }
}
