import Foundation

@testable import MediaEngine

/// A file of two seconds: one black and silent, one white with a tone of the length `tone`.
enum Clip {
    /// - Parameter isTransportStream: MPEG-TS with H264 and AAC, else Matroska with JPEG and Opus.
    static func make(
        _ path: String, hasFrames: Bool = true, hasAudioSample: Bool = true, tone: Duration = .seconds(1),
        isTransportStream: Bool = false
    ) async throws {
        let coders =
            isTransportStream
            ? (
                video: "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! h264parse",
                audio: "voaacenc ! aacparse", muxer: "mpegtsmux"
            ) : (video: "jpegenc", audio: "opusenc", muxer: "matroskamux")
        let size = "video/x-raw,width=320,height=240,framerate=15/1"
        let shape = "audio/x-raw,rate=48000,channels=2"
        let frames = """
            videotestsrc num-buffers=15 pattern=black ! \(size) ! concat name=c ! \(coders.video) ! mux.
            videotestsrc num-buffers=15 pattern=white ! \(size) ! c.
            """
        let audio = """
            audiotestsrc wave=silence num-buffers=50 samplesperbuffer=960 ! \(shape) ! concat name=d ! audioconvert ! \(coders.audio) ! mux.
            audiotestsrc num-buffers=\(Int(tone / .milliseconds(20))) samplesperbuffer=960 ! \(shape) ! d.
            """
        let launch =
            "\(coders.muxer) name=mux ! filesink name=file " + (hasFrames ? frames : "") + " "
            + (hasAudioSample ? audio : "")
        try await write(launch, to: path)
    }

    /// Makes two seconds of colour bars that are to be shown a quarter turn clockwise, according to the file, as with telephones.
    static func makeTilted(_ path: String) async throws {
        try await write(
            """
            videotestsrc num-buffers=60 pattern=smpte75 ! video/x-raw,width=320,height=192,framerate=30/1
            ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30 ! mp4mux ! filesink name=file
            """, to: path)
        var bytes = try Data(contentsOf: URL(filePath: path))
        guard let header = bytes.range(of: Data("tkhd".utf8))?.upperBound else {
            throw Overdue(description: "no track header")
        }
        // mp4mux 1.22 does not write the rotation. It is the matrix of ISO/IEC 14496-12, after the times, layer, group and volume.
        let matrix: [UInt32] = [0, 0x1_0000, 0, 0xFFFF_0000, 0, 0, 192 << 16, 0, 0x4000_0000]
        let begin = header + (bytes[header] == 1 ? 52 : 40)
        bytes.replaceSubrange(
            begin..<begin + 36, with: matrix.flatMap { value in withUnsafeBytes(of: value.bigEndian, Array.init) })
        try bytes.write(to: URL(filePath: path))
    }

    /// Makes a still image.
    static func makeImage(_ path: String) async throws {
        try await write(
            "videotestsrc num-buffers=1 ! video/x-raw,width=320,height=240 ! pngenc ! filesink name=file", to: path)
    }

    /// Makes a second of video in VP8.
    static func makeVP8(_ path: String) async throws {
        try await write(
            """
            videotestsrc num-buffers=30 ! video/x-raw,width=320,height=240 ! vp8enc deadline=1 token-partitions=2
            ! matroskamux ! filesink name=file
            """, to: path)
    }

    private static func write(_ launch: String, to path: String) async throws {
        try GStreamerLibrary.initialize()
        let bin = try Element(launch: launch, description: "clip", hasGhostPads: false)
        guard let file = bin.child("file") else { throw Overdue(description: "no file") }
        try file.set("location", text: path)
        let pipeline = try Pipeline(name: "clip", timeBase: .ownStart)
        pipeline.bin.add(bin)
        let isDone = Shared(false)
        pipeline.bus.watch { if $0 == .endOfStream { isDone.set(true) } }
        try pipeline.bin.setState(.playing)
        defer { pipeline.stop() }
        try await eventually("the clip is written") { isDone.value }
    }
}
