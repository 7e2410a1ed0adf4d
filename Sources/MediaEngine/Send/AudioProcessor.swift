internal import Synchronization

/// Cancels echo, suppresses noise and evens the level of the sound that one call sends.
///
/// It is part of the call and not of the capture that calls share: each call plays another peer, whose echo is to be taken out of what this
/// peer hears.
final class AudioProcessor: Sendable {
    private struct State {
        var wanted: AudioProcessing
        var present = AudioProcessing.off
        var element: Element?
    }
    private let state: Mutex<State>
    private let pipeline: Element
    private let upstream: Pad
    private let downstream: Pad
    /// The name of the ``EchoProbe`` that what is played passes; nil when nothing of it is heard.
    private let probe: String?
    private let onFailure: @Sendable (MediaError) -> Void

    /// Goes between a source pad and a sink pad that are not linked yet.
    ///
    /// - Throws: ``MediaError/linkFailed(from:to:reason:)``. What is missing is told to `onFailure`, and the sound goes on unprocessed.
    init(
        _ processing: AudioProcessing, from upstream: Pad, to downstream: Pad, probe: String?, pipeline: Element,
        onFailure: @escaping @Sendable (MediaError) -> Void
    ) throws(MediaError) {
        self.upstream = upstream
        self.downstream = downstream
        self.probe = probe
        self.pipeline = pipeline
        self.onFailure = onFailure
        state = Mutex(State(wanted: processing))
        try upstream.link(to: downstream)
        settle()
    }

    /// Processes so from the next buffer on; what there is goes on until then.
    func set(_ processing: AudioProcessing) {
        state.withLock { $0.wanted = processing }
        upstream.whenIdle { [weak self] in self?.settle() }
    }

    /// What was asked for last.
    var wanted: AudioProcessing { state.withLock { $0.wanted } }

    /// Whether the element of this path is what processes.
    func contains(_ path: String) -> Bool { state.withLock { $0.element }?.contains(path) == true }

    /// Takes it out of the pipeline, in which nothing flows any more.
    func remove() {
        if let element = state.withLock({ $0.element.take() }) { pipeline.remove(element) }
    }

    /// Exchanges the element; no data passes meanwhile.
    private func settle() {
        let failure: MediaError? = state.withLock { state in
            guard state.wanted != state.present else { return nil }
            downstream.unlinkFromPeer()
            if let old = state.element.take() {
                (try? old.pad("sink"))?.unlinkFromPeer()
                pipeline.remove(old)
            }
            do throws(MediaError) {
                state.element = try insert(state.wanted)
                state.present = state.wanted
                return nil
            } catch {
                // Unprocessed sound is better than none.
                (state.wanted, state.present) = (.off, .off)
                downstream.unlinkFromPeer()
                do throws(MediaError) { try upstream.link(to: downstream) } catch { return error }
                return error
            }
        }
        if let failure { onFailure(failure) }
    }

    private func insert(_ processing: AudioProcessing) throws(MediaError) -> Element? {
        guard let element = try make(processing) else {
            try upstream.link(to: downstream)
            return nil
        }
        pipeline.add(element)
        do throws(MediaError) {
            try element.pad("src").link(to: downstream)
            try upstream.link(to: element.pad("sink"))
            try element.syncStateWithParent()
        } catch {
            pipeline.remove(element)
            throw error
        }
        return element
    }

    /// Nil for what needs no element.
    private func make(_ processing: AudioProcessing) throws(MediaError) -> Element? {
        guard processing == .voice || processing == .music && probe != nil else { return nil }
        let element = try Element("webrtcdsp")
        try element.set("echo-cancel", String(probe != nil))
        if let probe { try element.set("probe", text: probe) }
        // By the sound itself: times of what comes from a sound service jitter, and each jump would tear a hole into what is compared.
        try element.set("delay-agnostic", "true")
        for property in ["noise-suppression", "gain-control", "high-pass-filter"] {
            try element.set(property, String(processing == .voice))
        }
        try element.set("noise-suppression-level", "high")
        return element
    }
}
