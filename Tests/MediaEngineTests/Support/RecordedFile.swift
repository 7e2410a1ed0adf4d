import Synchronization
import Testing

@testable import MediaEngine

/// A recording, decoded as fast as it goes.
final class RecordedFile: Sendable {
    struct Picture: Sendable, Equatable {
        /// From the beginning of the file, in s.
        let time: Double
        let width: Int
        let height: Int
        /// The mean luma.
        let mean: Int
        /// Every 16th byte of it.
        let sample: [UInt8]
    }

    private struct Seen {
        var pictures: [Picture] = []
        /// Begin of each buffer in s, and whether it is loud.
        var sounds: [(time: Double, isLoud: Bool)] = []
        var pitch = PitchMeter(samplesPerSecond: 48_000)
        var failure: String?
        var isOver = false
    }
    private let seen = Mutex(Seen())
    private let pipeline: Pipeline

    /// Decodes all of it; fails the test when it cannot be played.
    init(_ path: String) async throws {
        try GStreamerLibrary.initialize()
        let pipeline = try Pipeline(name: "playback", timeBase: .ownStart)
        self.pipeline = pipeline
        defer { pipeline.stop() }
        let file = try Element("filesrc")
        try file.set("location", text: path)
        let decoder = try Element("decodebin")
        let bin = pipeline.bin
        for element in [file, decoder] { bin.add(element) }
        try file.link(to: decoder)
        // The pipeline, and this with it, is gone before the pads are.
        let connection = decoder.connect("pad-added") { [weak self] arguments in
            guard let self, let pad = arguments.pad(1) else { return }
            let isVideo = pad.possibleCaps.contains { "\($0)".contains("video/x-raw") }
            do {
                let branch = try Element(
                    launch: isVideo
                        ? "queue ! videoconvert ! video/x-raw,format=GRAY8 ! fakesink name=sink async=false"
                        : "queue ! audioconvert ! audioresample ! audio/x-raw,format=S16LE,channels=1,rate=48000 ! fakesink name=sink async=false",
                    description: "branch")
                bin.add(branch)
                try branch.child("sink")?.pad("sink").observe { [weak self] buffer, pad in
                    isVideo ? self?.see(buffer, pad) : self?.hear(buffer, pad)
                }
                try branch.syncStateWithParent()
                try pad.link(to: branch.pad("sink"))
            } catch {
                self.seen.withLock { $0.failure = "\(error)" }
            }
        }
        pipeline.bus.watch { [weak self] message in
            self?.seen.withLock { seen in
                switch message {
                case .error(_, let text, let debug, _): seen.failure = "\(text) \(debug)"
                case .endOfStream: seen.isOver = true
                default: break
                }
            }
        }
        try pipeline.bin.setState(.playing)
        try await eventually("the end of \(path)") { seen.withLock { $0.isOver || $0.failure != nil } }
        let failure = seen.withLock { $0.failure }
        #expect(failure == nil, "\(path)")
        withExtendedLifetime(connection) {}
    }

    var pictures: [Picture] { seen.withLock { $0.pictures } }
    /// How many buffers of sound there are.
    var sounds: Int { seen.withLock { $0.sounds.count } }
    /// The pitch of the sound, in Hz.
    var toneHz: Double { seen.withLock { $0.pitch.hertz ?? 0 } }
    /// When the sound ends, in s.
    var soundEnd: Double { seen.withLock { $0.sounds.last?.time ?? 0 } }

    /// How many pictures differ from the one before.
    var changes: Int {
        let pictures = pictures
        return zip(pictures, pictures.dropFirst()).count { $0.sample != $1.sample }
    }

    /// When pictures became bright, in s.
    var flashes: [Double] {
        let pictures = pictures
        return zip(pictures, pictures.dropFirst()).filter { $0.mean < 100 && $1.mean >= 100 }.map { $1.time }
    }

    /// When sound became loud after at least a fifth of a second of silence, in s.
    var beeps: [Double] {
        var (found, quietSince) = ([Double](), Double?.none)
        for sound in seen.withLock({ $0.sounds }) {
            if sound.isLoud {
                if let quietSince, sound.time - quietSince > 0.2 { found.append(sound.time) }
                quietSince = nil
            } else {
                quietSince = quietSince ?? sound.time
            }
        }
        return found
    }

    private func see(_ buffer: BufferRef, _ pad: Pad) {
        guard let time = pad.runningTime(of: buffer), let caps = pad.caps?.fields, let width = caps["width"]?.intValue,
            let height = caps["height"]?.intValue
        else { return }
        let luma = buffer.withBytes { bytes in stride(from: 0, to: bytes.count, by: 16).map { bytes[$0] } } ?? []
        let mean = luma.reduce(0) { $0 + Int($1) } / max(luma.count, 1)
        let picture = Picture(time: Double(time) / 1e9, width: width, height: height, mean: mean, sample: luma)
        seen.withLock { $0.pictures.append(picture) }
    }

    private func hear(_ buffer: BufferRef, _ pad: Pad) {
        guard let time = pad.runningTime(of: buffer) else { return }
        _ = buffer.withBytes { bytes in
            let samples = bytes.bindMemory(to: Int16.self)
            seen.withLock { seen in
                seen.sounds.append((Double(time) / 1e9, samples.contains { $0.magnitude > 2_000 }))
                for sample in samples { seen.pitch.add(sample) }
            }
        }
    }
}
