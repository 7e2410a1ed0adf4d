internal import Synchronization

/// The pipeline of a capture that is open: source, tee, and one proxysink for each call.
///
/// Used on the executor of its ``CaptureSource`` only, except for the probe that remembers the latest buffer.
final class RunningCapture {
    let pipeline: Pipeline
    private let tee: Element
    private let teeSink: Pad
    private let latest: LatestBuffer
    private(set) var branches = 0

    init(kind: MediaKind, source: Element) throws(MediaError) {
        pipeline = try Pipeline(name: "capture-\(kind.rawValue)", timeBase: .ownStart)
        tee = try Element("tee")
        // Capture goes on when no call listens.
        try tee.set("allow-not-linked", "true")
        pipeline.bin.add(source)
        pipeline.bin.add(tee)
        try source.link(to: tee)
        teeSink = try tee.pad("sink")
        latest = LatestBuffer()
        if kind == .video { teeSink.probe { [latest] in latest.remember($0) } }
        do {
            try pipeline.bin.setState(.playing)
        } catch {
            pipeline.stop()
            throw error
        }
    }

    func attach(_ proxy: Element) throws(MediaError) -> CaptureBranch {
        let sink = try Element("proxysink")
        pipeline.bin.add(sink)
        do throws(MediaError) {
            let branch = try CaptureBranch(proxy: proxy, sink: sink, teePad: link(sink, to: proxy))
            branches += 1
            return branch
        } catch {
            pipeline.bin.remove(sink)
            throw error
        }
    }

    private func link(_ sink: Element, to proxy: Element) throws(MediaError) -> Pad {
        try sink.syncStateWithParent()
        try proxy.set("proxysink", object: sink)
        // A buffer's timestamp counts from the start of this pipeline, in a call's pipeline from the clock's 0.
        try proxy.pad("src").offsetRunningTime(by: pipeline.baseTime)
        let sinkPad = try sink.pad("sink")
        // The source asks about memory anew whenever a branch joins; a call that is stuck would never answer.
        sinkPad.refuseSerializedQueries()
        // Asked for outside the lock, the tee's pad could miss an event that is on its way through the tee.
        let linked: Result<Pad, MediaError> = teeSink.withStreamLock {
            do throws(MediaError) {
                let teePad = try tee.requestPad("src_%u")
                try teePad.link(to: sinkPad)
                // The new branch has its caps and a picture at once instead of with the next frame.
                if let buffer = latest.buffer { teePad.push(buffer) }
                return .success(teePad)
            } catch {
                return .failure(error)
            }
        }
        return try linked.get()
    }

    func detach(_ branch: CaptureBranch) {
        teeSink.withStreamLock { tee.release(branch.teePad) }
        try? branch.proxy.set("proxysink", object: nil)
        pipeline.bin.remove(branch.sink)
        branches -= 1
    }
}

/// One call's share of a capture.
struct CaptureBranch: Sendable {
    let proxy: Element
    let sink: Element
    let teePad: Pad
}

/// The buffer that passed a pad last.
private final class LatestBuffer: Sendable {
    private let storage = Mutex<BufferRef?>(nil)

    var buffer: BufferRef? { storage.withLock { $0 } }

    func remember(_ buffer: BufferRef) -> ProbeVerdict {
        storage.withLock { $0 = buffer }
        return .pass
    }
}
