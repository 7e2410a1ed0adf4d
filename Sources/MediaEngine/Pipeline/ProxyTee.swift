/// The end of a pipeline that feeds other pipelines: a tee, and one proxysink for each of them.
///
/// The caller uses it on one thread at a time.
struct ProxyTee: Sendable {
    /// The tee, which the caller adds to a bin and links.
    let element: Element
    let sink: Pad
    private let latest: LatestBuffer

    /// With `keepsLatest` a new branch gets the latest buffer at once instead of with the next one.
    init(keepsLatest: Bool) throws(MediaError) {
        element = try Element("tee")
        // It continues without any user.
        try element.set("allow-not-linked", "true")
        sink = try element.pad("sink")
        let latest = LatestBuffer(keeps: keepsLatest) {}
        self.latest = latest
        guard keepsLatest else { return }
        sink.probe { latest.remember($0) }
        sink.onEvent { if case .caps = $0 { latest.forget() } }
    }

    /// The latest frame that passed; nil while there is none.
    var latestFrame: OutletBuffer? {
        // New caps drop the latest buffer before they apply: if it is still there, these caps are its own.
        guard let buffer = latest.buffer, let caps = sink.currentCaps, latest.buffer === buffer else { return nil }
        return OutletBuffer(buffer: buffer, caps: caps, time: 0)
    }

    /// Feeds `proxy`, a `proxysrc` that is playing in another pipeline; this tee is in `bin`.
    func attach(_ proxy: Element, in bin: Element) throws(MediaError) -> ProxyBranch {
        let sink = try Element("proxysink")
        bin.add(sink)
        do throws(MediaError) {
            return ProxyBranch(proxy: proxy, sink: sink, teePad: try link(sink, to: proxy, in: bin))
        } catch {
            bin.remove(sink)
            throw error
        }
    }

    private func link(_ sink: Element, to proxy: Element, in bin: Element) throws(MediaError) -> Pad {
        try sink.syncStateWithParent()
        try proxy.set("proxysink", object: sink)
        // Timestamps count from the start of this tee's pipeline; in a call's pipeline they count from the clock's 0.
        try proxy.pad("src").offsetRunningTime(by: bin.baseTime)
        let sinkPad = try sink.pad("sink")
        // The source sends an allocation query whenever a branch joins; a stuck call would never answer it.
        sinkPad.refuseSerializedQueries()
        return try element.branch(to: sinkPad, below: self.sink, latest)
    }

    func detach(_ branch: ProxyBranch, in bin: Element) {
        sink.withStreamLock { element.release(branch.teePad) }
        try? branch.proxy.set("proxysink", object: nil)
        bin.remove(branch.sink)
    }
}

/// What feeds one `proxysrc`.
struct ProxyBranch: Sendable {
    let proxy: Element
    let sink: Element
    let teePad: Pad
}

extension Element {
    /// Lets the queue of a `proxysrc` drop its oldest buffers, so that a slow reader never blocks what it shares with others.
    func keepOnlyLatest(_ kind: MediaKind) throws(MediaError) {
        guard let queue = child(madeBy: "queue") else { return }
        try queue.set("leaky", "downstream")
        try queue.set("max-size-buffers", kind == .video ? "2" : "20")
        try queue.set("max-size-bytes", "0")
        try queue.set("max-size-time", "0")
    }
}
