import Foundation
@testable import MediaEngine
import TestServers
import Testing

/// A VP8 file and an Opus file, as a client of a media server sends or writes them.
struct MediaFiles {
    private let folder: TemporaryFolder
    var video: String { folder.path + "/video.ivf" }
    var audio: String { folder.path + "/audio.ogg" }

    /// No files yet.
    init() throws { folder = try TemporaryFolder("media") }

    /// Five seconds of a moving ball, 320 pixels wide at 30 frames per second, and of a tone with a whole number of periods.
    static func ball(toneHz: Int) async throws -> MediaFiles {
        let files = try MediaFiles()
        try await launch(
            "videotestsrc pattern=ball num-buffers=150 ! video/x-raw,width=320,height=240,framerate=30/1",
            // A key frame every second: a client that sends a file cannot make one when it is asked.
            "vp8enc deadline=1 keyframe-max-dist=30 ! avmux_ivf ! filesink location=\(files.video)")
        try await launch(
            "audiotestsrc freq=\(toneHz) samplesperbuffer=960 num-buffers=250 ! audio/x-raw,rate=48000",
            // Each packet in a page of its own.
            "opusenc ! oggmux max-delay=0 max-page-delay=0 ! filesink location=\(files.audio)")
        return files
    }

    /// What the files show and play, decoded by GStreamer.
    struct Content {
        /// The number of frames that differ from their predecessor.
        var distinctFrames = 0
        /// Red, green and blue at seven places of the last frame.
        var bars: [[Int]] = []
        var toneHz: Double?
    }

    func decoded() async throws -> Content {
        let (width, height) = (140, 80)
        let pixels = try await raw(
            video, "ivfparse ! vp8dec ! videoconvert ! videoscale",
            "video/x-raw,format=RGB,width=\(width),height=\(height)")
        let size = 3 * width * height
        let frames = stride(from: 0, to: pixels.count - size + 1, by: size).map { pixels[$0..<$0 + size] }
        var content = Content()
        content.distinctFrames = zip(frames, frames.dropFirst()).count { !$0.elementsEqual($1) }
        if let last = frames.last {
            content.bars = (0..<7).map { bar in
                let place = last.startIndex + 3 * (height / 5 * width + (2 * bar + 1) * width / 14)
                return last[place..<place + 3].map(Int.init)
            }
        }
        let sound = try await raw(
            audio, "oggdemux ! opusdec ! audioconvert", "audio/x-raw,format=S16LE,rate=48000,channels=1")
        var pitch = PitchMeter(samplesPerSecond: 48_000)
        for index in stride(from: 0, to: sound.count - 1, by: 2) {
            pitch.add(Int16(bitPattern: UInt16(sound[index]) | UInt16(sound[index + 1]) << 8))
        }
        content.toneHz = pitch.hertz
        return content
    }

    private func raw(_ path: String, _ decoding: String, _ format: String) async throws -> [UInt8] {
        let target = path + ".raw"
        try await Self.launch("filesrc location=\(path) ! \(decoding) ! \(format)", "filesink location=\(target)")
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: target)))
    }

    /// Runs a pipeline of GStreamer to its end.
    private static func launch(_ parts: String...) async throws {
        let words = parts.joined(separator: " ! ").split(separator: " ").map(String.init)
        let program = try Program(["-q"] + words, path: "/usr/bin/gst-launch-1.0")
        #expect(try await program.waitForExit() == 0, "\(program.errors)")
    }
}
