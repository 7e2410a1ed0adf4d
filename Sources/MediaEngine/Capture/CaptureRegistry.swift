internal import Logging
internal import Synchronization

/// The captures that the calls of an engine share.
final class CaptureRegistry: Sendable {
    private struct State {
        var sources: [MediaSource: CaptureSource] = [:]
        /// What gives pictures and sound, by its text.
        var pairs: [String: CaptureDevice] = [:]
    }
    private let state = Mutex(State())

    /// The capture of what `blueprint` builds, made when it is not there.
    ///
    /// Pictures and sound of one file or camera come from one device, so that they stay together. The pictures decide about their format, so
    /// the sound looks for its device when it is used, in whatever order the two were asked for.
    func capture(
        _ blueprint: SourceBlueprint, timing: CaptureTiming, logger: Logger
    ) throws(MediaError) -> CaptureSource {
        let isPair = try blueprint.kinds().count > 1
        let source = blueprint.source
        return state.withLock { state in
            if let present = state.sources[source] { return present }
            let make: @Sendable () -> CaptureDevice = { CaptureDevice(blueprint, timing: timing, logger: logger) }
            let made: CaptureSource
            switch (isPair, source.kind) {
            case (false, _): made = CaptureSource(source, device: make)
            case (true, .video):
                let device = make()
                state.pairs[source.text] = device
                made = CaptureSource(source) { device }
            case (true, .audio):
                made = CaptureSource(source) { [weak self] in self?.pair(source.text) ?? make() }
            }
            state.sources[source] = made
            return made
        }
    }

    private func pair(_ text: String) -> CaptureDevice? { state.withLock { $0.pairs[text] } }
}
