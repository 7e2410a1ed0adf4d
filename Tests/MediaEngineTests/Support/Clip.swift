@testable import MediaEngine

/// A file of two seconds: one black and silent, one white with a tone.
enum Clip {
    static func make(_ path: String, hasPictures: Bool = true, hasSound: Bool = true) async throws {
        try GStreamerLibrary.initialize()
        let size = "video/x-raw,width=320,height=240,framerate=15/1"
        let shape = "audio/x-raw,rate=48000,channels=2"
        let pictures = """
            videotestsrc num-buffers=15 pattern=black ! \(size) ! concat name=c ! jpegenc ! mux.
            videotestsrc num-buffers=15 pattern=white ! \(size) ! c.
            """
        let sound = """
            audiotestsrc wave=silence num-buffers=50 samplesperbuffer=960 ! \(shape) ! concat name=d ! audioconvert ! opusenc ! mux.
            audiotestsrc num-buffers=50 samplesperbuffer=960 ! \(shape) ! d.
            """
        let launch =
            "matroskamux name=mux ! filesink name=file " + (hasPictures ? pictures : "") + " "
            + (hasSound ? sound : "")
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
