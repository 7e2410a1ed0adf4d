import Synchronization

@testable import MediaEngine

/// What one peer connection decodes of one kind from now on, picture by picture and sample by sample.
final class Perception: Sendable {
    private struct Seen {
        var pictures = 0
        var changes = 0
        var blackRun = 0
        var last: [UInt8] = []
        var buffers = 0
        var silentRun = 0
        var channels = 1
        var lastAt: ContinuousClock.Instant?
        var pitch = PitchMeter(samplesPerSecond: 48_000)
    }

    private let seen = Mutex(Seen())

    /// Nil as long as the connection is not built.
    init?(_ peer: PeerConnection, _ kind: MediaKind) async {
        guard let pad = await peer.media?.receiving[kind]?.decoded else { return nil }
        pad.onEvent { [weak self] event in if case .caps(let caps) = event { self?.note(caps) } }
        if let caps = pad.caps { note(caps) }
        pad.probe { [weak self] buffer in
            _ = buffer.withBytes { bytes in
                self?.seen.withLock { seen in
                    seen.lastAt = .now
                    if kind == .video { Self.add(picture: bytes, to: &seen) } else { Self.add(sound: bytes, to: &seen) }
                }
            }
            return .pass
        }
    }

    /// Decoded pictures, whatever they show.
    var pictures: Int { seen.withLock { $0.pictures } }
    /// How many pictures differed from the one before.
    var changes: Int { seen.withLock { $0.changes } }
    /// How many black pictures came since the last one that was not.
    var blackRun: Int { seen.withLock { $0.blackRun } }
    /// Decoded buffers of sound.
    var buffers: Int { seen.withLock { $0.buffers } }
    /// How many silent buffers of sound came since the last one that was not.
    var silentRun: Int { seen.withLock { $0.silentRun } }

    /// Whether all pictures up to now were black, and all sound silent.
    var wasBlankAlways: Bool { seen.withLock { $0.pictures == $0.blackRun && $0.buffers == $0.silentRun } }

    /// When something was decoded for the last time.
    var lastAt: ContinuousClock.Instant? { seen.withLock { $0.lastAt } }

    /// The pitch of what came since the last ``listenAnew()``.
    var toneHz: Double? { seen.withLock { $0.pitch.hertz } }

    func listenAnew() { seen.withLock { $0.pitch = PitchMeter(samplesPerSecond: 48_000) } }

    private func note(_ caps: PropertyValue) {
        if let channels = caps.fields?["channels"]?.intValue { seen.withLock { $0.channels = max(channels, 1) } }
    }

    /// The luma plane comes first; the last third is chroma.
    private static func add(picture: UnsafeRawBufferPointer, to seen: inout Seen) {
        let luma = Array(picture.prefix(picture.count * 2 / 3))
        seen.pictures += 1
        // Lossy coding moves black, which is 16, by a little.
        seen.blackRun = luma.allSatisfy { $0 < 32 } ? seen.blackRun + 1 : 0
        if !seen.last.isEmpty, luma != seen.last { seen.changes += 1 }
        seen.last = luma
    }

    private static func add(sound: UnsafeRawBufferPointer, to seen: inout Seen) {
        let samples = sound.bindMemory(to: Int16.self)
        seen.buffers += 1
        seen.silentRun = samples.allSatisfy { $0.magnitude < 64 } ? seen.silentRun + 1 : 0
        for index in stride(from: 0, to: samples.count, by: seen.channels) { seen.pitch.add(samples[index]) }
    }
}
