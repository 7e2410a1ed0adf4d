internal import Synchronization

/// Cancels echo, suppresses noise and evens the level of the audio that one call sends.
///
/// It belongs to the call and not to the capture that calls share: each call plays a different peer, and must remove the echo of that
/// peer from what it sends to the peer.
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
    /// The name of the ``EchoProbes`` that taps the played audio; nil when no audio is played.
    private let probe: String?
    private let onFailure: @Sendable (MediaError) -> Void

    /// Goes between a source pad and a sink pad that are not linked yet.
    ///
    /// - Throws: ``MediaError/linkFailed(from:to:reason:)``. A missing element is reported to `onFailure`, and the audio passes unprocessed.
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
        replaceElement()
    }

    /// Changes the processing from the next buffer on; the present one continues until then.
    func set(_ processing: AudioProcessing) {
        state.withLock { $0.wanted = processing }
        upstream.whenIdle { [weak self] in self?.replaceElement() }
    }

    /// The processing that was requested last.
    var wanted: AudioProcessing { state.withLock { $0.wanted } }

    /// Whether the element of this path is the processing one.
    func contains(_ path: String) -> Bool { state.withLock { $0.element }?.contains(path) == true }

    /// Removes the element from the pipeline, in which nothing flows any more.
    func remove() {
        if let element = state.withLock({ $0.element.take() }) { pipeline.remove(element) }
    }

    /// Replaces the element; no data passes meanwhile.
    private func replaceElement() {
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
                // Unprocessed audio is better than none.
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

    /// Nil when no element is needed.
    private func make(_ processing: AudioProcessing) throws(MediaError) -> Element? {
        guard processing == .voice || processing == .music && probe != nil else { return nil }
        let element = try Element("webrtcdsp")
        try element.set("echo-cancel", String(probe != nil))
        if let probe { try element.set("probe", text: probe) }
        // The delay is found in the audio itself: the times from an audio service jitter, and each jump would leave a gap in the comparison.
        try element.set("delay-agnostic", "true")
        for property in ["noise-suppression", "gain-control", "high-pass-filter"] {
            try element.set(property, String(processing == .voice))
        }
        try element.set("noise-suppression-level", "high")
        return element
    }
}
