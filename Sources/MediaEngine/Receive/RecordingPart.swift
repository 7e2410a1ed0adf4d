internal import Synchronization

/// One file of a recording, and the pipeline that writes it.
///
/// Used on the executor of its ``Recorder`` only.
struct RecordingPart: Sendable {
    /// The most that waits for the disk, in bytes.
    private static let maximumBacklog = 32 << 20

    private struct Track: Sendable {
        let source: Element
        let shape: String
        var last: UInt64?
    }

    private let pipeline: Pipeline
    private let format: RecordingFormat
    private let zero: UInt64
    private let ended: AsyncStream<Void>
    private var tracks: [MediaKind: Track] = [:]

    /// Opens the file, which blocks.
    ///
    /// `zero` is the clock's time at which the recording begins; `onError` may come from any thread.
    ///
    /// - Throws: ``MediaError/recordingFailed(path:text:)`` and what is wrong with the description.
    init(
        _ description: PipelineDescription, _ format: RecordingFormat, path: String, zero: UInt64,
        shapes: [(MediaKind, String)], codecs: [MediaKind: Codec],
        onError: @escaping @Sendable (MediaError) -> Void
    ) throws(MediaError) {
        self.format = format
        self.zero = zero
        pipeline = try Pipeline(name: "recording", timeBase: .ownStart)
        let bin = try description.instantiate(["path": path])
        guard let muxer = bin.child("muxer") else { throw .noPad(element: description.name, pad: "muxer") }
        pipeline.bin.add(bin)
        for (kind, shape) in shapes {
            let source = try Element("appsrc")
            try source.set("format", "time")
            try source.set("caps", Self.caps(shape, codecs[kind]))
            pipeline.bin.add(source)
            var output = source
            if let parser = codecs[kind]?.parser, GStreamerLibrary.hasElement(parser) {
                output = try Element(parser)
                pipeline.bin.add(output)
                try source.link(to: output)
            }
            try output.pad("src").linkAcrossBins(to: muxer.requestPad(kind == .video ? "video_%u" : "audio_%u"))
            tracks[kind] = Track(source: source, shape: shape)
        }
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        self.ended = ended
        let opening = FirstReason()
        pipeline.bus.watch { message in
            switch message {
            case .endOfStream: continuation.finish()
            case .error(_, let text, let debug, _):
                let error = MediaError.recordingFailed(
                    path: path, text: "\(text) \(debug.split(separator: "\n").last ?? "")")
                opening.note(error)
                continuation.finish()
                onError(error)
            default: break
            }
        }
        do throws(MediaError) {
            try pipeline.bin.setState(.playing)
        } catch {
            pipeline.stop()
            throw opening.value ?? error
        }
    }

    /// The depayloader leaves out the rate of Opus, which is always the same and which WebM and MP4 ask for.
    private static func caps(_ shape: String, _ codec: Codec?) -> String {
        codec == .opus && !shape.contains("rate=") ? shape + ", rate=(int)48000" : shape
    }

    /// What it has tracks for.
    var kinds: Set<MediaKind> { Set(tracks.keys) }

    /// Whether this file can hold it.
    func holds(_ packet: RecordedPacket) -> Bool { tracks[packet.kind]?.shape == packet.shape }

    /// False when the disk takes less than what comes.
    mutating func push(_ packet: RecordedPacket) -> Bool {
        guard var track = tracks[packet.kind] else { return true }
        guard (track.source.get("current-level-bytes")?.intValue ?? 0) < Self.maximumBacklog else { return false }
        // Never back: the peer's clocks may be corrected, and files want rising times.
        var time = max(packet.time > zero ? packet.time - zero : 0, track.last ?? 0)
        // A picture that comes first may be shown from the beginning on; what follows is at its own time.
        if format.beginsAtZero, track.last == nil { time = 0 }
        _ = track.source.push(packet.buffer.copy(at: time))
        track.last = time
        tracks[packet.kind] = track
        return true
    }

    /// Ends the file so that index and duration are written, and closes it; gives up after `limit`.
    func end(within limit: Duration) async {
        for track in tracks.values { track.source.sendEndOfStream() }
        _ = await Deadline.isMet(limit) { [ended] in for await _ in ended {} }
        _ = await Deadline.isMet(limit) { [pipeline] in await BlockingQueue(label: "recording.stop").stop(pipeline) }
    }
}
