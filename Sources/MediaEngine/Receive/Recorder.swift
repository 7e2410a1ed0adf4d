internal import Synchronization

/// Writes what arrives, still encoded, into one file for all kinds of a call.
final class Recorder: Sendable {
    private let pipeline: Element
    private let muxer: Element
    private let branches = Mutex<[RecordingBranch]>([])
    private let ended: AsyncStream<Void>

    init(_ description: PipelineDescription, path: String, pipeline: Element) throws(MediaError) {
        let bin = try description.instantiate(["path": path])
        guard let muxer = bin.child("muxer"), let file = bin.child("file") else {
            throw .invalidPipelineDescription(name: description.name, line: nil, text: "has no elements muxer and file")
        }
        self.muxer = muxer
        self.pipeline = pipeline
        pipeline.add(bin)
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        ended = stream
        try file.pad("sink").onEvent { event in if case .endOfStream = event { continuation.finish() } }
    }

    /// Taps the encoded stream of one decoder.
    func branch(from decoder: Element, kind: MediaKind) throws(MediaError) -> RecordingBranch {
        guard let tee = decoder.child("encoded") else { throw .noPad(element: decoder.path, pad: "encoded") }
        let queue = try Element("queue")
        try Self.neverBlock(queue)
        decoder.add(queue)
        let branch = try RecordingBranch(kind: kind, input: queue.pad("sink"))
        try tee.requestPad("src_%u").link(to: queue.pad("sink"))
        try queue.pad("src").linkAcrossBins(to: muxer.requestPad(kind == .video ? "video_%u" : "audio_%u"))
        branches.withLock { $0.append(branch) }
        return branch
    }

    /// The muxer waits for data of every kind, so while one kind is missing the other one piles up here.
    ///
    /// It must not hold up the decoder; what is too much for the memory is lost to the file.
    private static func neverBlock(_ queue: Element) throws(MediaError) {
        try queue.set("leaky", "downstream")
        try queue.set("max-size-buffers", "0")
        try queue.set("max-size-time", "0")
        try queue.set("max-size-bytes", String(64 << 20))
    }

    /// Ends the file so that its index and duration are written; gives up after `deadline`.
    func finish(within deadline: Duration) async {
        let branches = branches.withLock { $0 }
        _ = await Deadline.isMet(deadline) { [ended] in
            await BlockingQueue(label: "recorder").end(branches)
            for await _ in ended {}
        }
    }
}

/// The way of one kind into the file: shut until it is opened, then from the next key frame on.
final class RecordingBranch: Sendable {
    private enum State { case closed, waitingForKeyFrame, open, ended }

    private let input: Pad
    private let state = Mutex(State.closed)

    init(kind: MediaKind, input: Pad) {
        self.input = input
        let isVideo = kind == .video
        input.probe { [weak self] buffer in self?.judge(buffer, isVideo) ?? .drop }
    }

    func open() {
        let begins = state.withLock { state in
            guard state == .closed else { return false }
            state = .waitingForKeyFrame
            return true
        }
        if begins { input.requestKeyFrame() }
    }

    /// Leaves out what comes until it is opened again; in the file that is a gap.
    func close() { state.withLock { if $0 != .ended { $0 = .closed } } }

    func end() {
        state.withLock { $0 = .ended }
        input.sendEndOfStream()
    }

    private func judge(_ buffer: BufferRef, _ isVideo: Bool) -> ProbeVerdict {
        state.withLock { state in
            if state == .waitingForKeyFrame, !isVideo || !buffer.isDelta { state = .open }
            return state == .open ? .pass : .drop
        }
    }
}
