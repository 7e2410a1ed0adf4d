internal import Synchronization

/// One file of a recording, and the pipeline that writes it.
///
/// Used on the executor of its ``Recorder`` only.
struct RecordingPart: Sendable {
    /// The maximum amount of data that waits for the disk, in bytes.
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
    private var tracks: [TrackID: Track] = [:]

    /// Opens the file, which blocks.
    ///
    /// `zero` is the clock's time at which the recording starts, `shapes` has a packet of each track; `onError` may be called on any thread.
    ///
    /// - Throws: ``MediaError/recordingFailed(path:text:)`` and errors of the description.
    init(
        _ description: PipelineDescription, _ format: RecordingFormat, path: String, zero: UInt64,
        shapes: [RecordedPacket],
        onError: @escaping @Sendable (MediaError) -> Void
    ) throws(MediaError) {
        self.format = format
        self.zero = zero
        pipeline = try Pipeline(name: "recording", timeBase: .ownStart)
        let bin = try description.instantiate(["path": path])
        guard let muxer = bin.child("muxer") else { throw .noPad(element: description.name, pad: "muxer") }
        pipeline.bin.add(bin)
        for packet in shapes {
            let (codec, shape) = (packet.codec, packet.shape)
            let source = try Element("appsrc")
            try source.set("format", "time")
            try source.set("caps", Self.caps(shape, codec))
            pipeline.bin.add(source)
            var output = source
            if let parser = codec.parser, GStreamerLibrary.hasElement(parser) {
                output = try Element(parser)
                pipeline.bin.add(output)
                try source.link(to: output)
            }
            try output.pad("src").linkAcrossBins(to: muxer.requestPad(codec.kind == .video ? "video_%u" : "audio_%u"))
            tracks[packet.track] = Track(source: source, shape: shape)
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

    /// Adds the rate of Opus, which is always the same: the depayloader omits it, but WebM and MP4 need it.
    private static func caps(_ shape: String, _ codec: Codec?) -> String {
        codec == .opus && !shape.contains("rate=") ? shape + ", rate=(int)48000" : shape
    }

    /// What it records.
    var recorded: Set<TrackID> { Set(tracks.keys) }

    /// Whether this file can hold the packet.
    func holds(_ packet: RecordedPacket) -> Bool { tracks[packet.track]?.shape == packet.shape }

    /// Writes a packet; false when the disk is too slow.
    mutating func push(_ packet: RecordedPacket) -> Bool {
        guard var track = tracks[packet.track] else { return true }
        guard (track.source.get("current-level-bytes")?.intValue ?? 0) < Self.maximumBacklog else { return false }
        // Never back: the peer's clocks may be corrected, but files need rising times.
        var time = max(packet.time > zero ? packet.time - zero : 0, track.last ?? 0)
        // The first frame may be shown from the start; later ones are at their own times.
        if format.beginsAtZero, track.last == nil { time = 0 }
        _ = track.source.push(packet.buffer.copy(at: time))
        track.last = time
        tracks[packet.track] = track
        return true
    }

    /// Ends the file so that index and duration are written, and closes it; gives up after `limit`.
    func end(within limit: Duration) async {
        for track in tracks.values { track.source.sendEndOfStream() }
        _ = await Deadline.isMet(limit) { [ended] in for await _ in ended {} }
        _ = await Deadline.isMet(limit) { [pipeline] in await BlockingQueue(label: "recording.stop").stop(pipeline) }
    }
}
