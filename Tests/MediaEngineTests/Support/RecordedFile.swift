import Synchronization
import Testing

@testable import MediaEngine

/// A recording, decoded as fast as possible.
final class RecordedFile: Sendable {
    struct Frame: Sendable, Equatable {
        /// From the beginning of the file, in s.
        let time: Double
        let width: Int
        let height: Int
        /// The mean luma.
        let mean: Int
        /// Every 16th byte of the luma.
        let sample: [UInt8]
    }

    private struct Seen {
        var frames: [Frame] = []
        /// The beginning of each buffer in s, and whether it is loud.
        var audio: [(time: Double, isLoud: Bool)] = []
        var pitch = PitchMeter(samplesPerSecond: 48_000)
        var failure: String?
        var isOver = false
    }
    private let seen = Mutex(Seen())
    private let pipeline: Pipeline

    /// Decodes the whole file; the test fails if it cannot be played.
    init(_ path: String) async throws {
        try GStreamerLibrary.initialize()
        let pipeline = try Pipeline(name: "playback", timeBase: .ownStart)
        self.pipeline = pipeline
        defer { pipeline.stop() }
        let file = try Element("filesrc")
        try file.set("location", text: path)
        let decoder = try Element("decodebin")
        let bin = pipeline.bin
        SpinningDecoder.avoid(in: bin)
        for element in [file, decoder] { bin.add(element) }
        try file.link(to: decoder)
        // The pipeline and this object are freed before the pads.
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

    var frames: [Frame] { seen.withLock { $0.frames } }
    /// The number of audio buffers.
    var audio: Int { seen.withLock { $0.audio.count } }
    /// The pitch of the audio, in Hz.
    var toneHz: Double { seen.withLock { $0.pitch.hertz ?? 0 } }
    /// When the audio ends, in s.
    var audioEnd: Double { seen.withLock { $0.audio.last?.time ?? 0 } }

    /// How many frames differ from the previous one.
    var changes: Int {
        let frames = frames
        return zip(frames, frames.dropFirst()).count { $0.sample != $1.sample }
    }

    /// When frames became bright, in s.
    var flashes: [Double] {
        let frames = frames
        return zip(frames, frames.dropFirst()).filter { $0.mean < 100 && $1.mean >= 100 }.map { $1.time }
    }

    /// When audio became loud after at least a fifth of a second of silence, in s.
    var beeps: [Double] {
        var (found, quietSince) = ([Double](), Double?.none)
        for audio in seen.withLock({ $0.audio }) {
            if audio.isLoud {
                if let quietSince, audio.time - quietSince > 0.2 { found.append(audio.time) }
                quietSince = nil
            } else {
                quietSince = quietSince ?? audio.time
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
        let frame = Frame(time: Double(time) / 1e9, width: width, height: height, mean: mean, sample: luma)
        seen.withLock { $0.frames.append(frame) }
    }

    private func hear(_ buffer: BufferRef, _ pad: Pad) {
        guard let time = pad.runningTime(of: buffer) else { return }
        _ = buffer.withBytes { bytes in
            let samples = bytes.bindMemory(to: Int16.self)
            seen.withLock { seen in
                seen.audio.append((Double(time) / 1e9, samples.contains { $0.magnitude > 2_000 }))
                for sample in samples { seen.pitch.add(sample) }
            }
        }
    }
}
