import Synchronization

@testable import MediaEngine

/// The decoded video or audio of one peer connection, from now on, for each frame and sample.
final class Perception: Sendable {
    private struct Seen {
        var frames = 0
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

    /// Nil until the connection is built.
    init?(_ peer: PeerConnection, _ track: TrackID) async {
        guard let pad = await peer.media?.receiving[track]?.decoded else { return nil }
        pad.onEvent { [weak self] event in if case .caps(let caps) = event { self?.note(caps) } }
        if let caps = pad.caps { note(caps) }
        pad.probe { [weak self] buffer in
            _ = buffer.reference.withBytes { bytes in
                self?.seen.withLock { seen in
                    seen.lastAt = .now
                    if track.kind == .video {
                        Self.add(frame: bytes, to: &seen)
                    } else {
                        Self.add(audio: bytes, to: &seen)
                    }
                }
            }
            return .pass
        }
    }

    /// The number of decoded frames.
    var frames: Int { seen.withLock { $0.frames } }
    /// The number of frames that differ from the one before.
    var changes: Int { seen.withLock { $0.changes } }
    /// The number of black frames since the last other frame.
    var blackRun: Int { seen.withLock { $0.blackRun } }
    /// The number of decoded audio buffers.
    var buffers: Int { seen.withLock { $0.buffers } }
    /// The number of silent audio buffers since the last other buffer.
    var silentRun: Int { seen.withLock { $0.silentRun } }

    /// Whether all frames until now were black, and all audio was silent.
    var wasBlankAlways: Bool { seen.withLock { $0.frames == $0.blackRun && $0.buffers == $0.silentRun } }

    /// The time of the last decoded frame or buffer.
    var lastAt: ContinuousClock.Instant? { seen.withLock { $0.lastAt } }

    /// The pitch of the audio since the last ``listenAnew()``.
    var toneHz: Double? { seen.withLock { $0.pitch.hertz } }

    func listenAnew() { seen.withLock { $0.pitch = PitchMeter(samplesPerSecond: 48_000) } }

    private func note(_ caps: PropertyValue) {
        if let channels = caps.fields?["channels"]?.intValue { seen.withLock { $0.channels = max(channels, 1) } }
    }

    /// The luma plane is first; the last third is chroma.
    private static func add(frame: UnsafeRawBufferPointer, to seen: inout Seen) {
        let luma = Array(frame.prefix(frame.count * 2 / 3))
        seen.frames += 1
        // Black is 16; lossy coding changes it a little.
        seen.blackRun = luma.allSatisfy { $0 < 32 } ? seen.blackRun + 1 : 0
        if !seen.last.isEmpty, luma != seen.last { seen.changes += 1 }
        seen.last = luma
    }

    private static func add(audio: UnsafeRawBufferPointer, to seen: inout Seen) {
        let samples = audio.bindMemory(to: Int16.self)
        seen.buffers += 1
        seen.silentRun = samples.allSatisfy { $0.magnitude < 64 } ? seen.silentRun + 1 : 0
        for index in stride(from: 0, to: samples.count, by: seen.channels) { seen.pitch.add(samples[index]) }
    }
}
