internal import Logging
internal import Synchronization

/// The captures that the calls of an engine share, for as long as somebody has them.
///
/// An application may make a source for each of its calls, which the next one does not want.
final class CaptureRegistry: Sendable {
    private struct Weak<Object: AnyObject & Sendable>: Sendable {
        weak let object: Object?
    }

    private struct State {
        var sources: [MediaSource: Weak<CaptureSource>] = [:]
        /// What is opened for them.
        var devices: [MediaSource: Weak<CaptureDevice>] = [:]
        /// What gives pictures and sound, by its text.
        var pairs: [String: Weak<CaptureDevice>] = [:]

        mutating func forgetUnused() {
            sources = sources.filter { $0.value.object != nil }
            devices = devices.filter { $0.value.object != nil }
            pairs = pairs.filter { $0.value.object != nil }
        }
    }
    private let state = Mutex(State())

    /// The capture of what `blueprint` builds, made when it is not there.
    ///
    /// Pictures of one camera in several sizes come from one device, and so do pictures and sound of one file or camera, so that they stay
    /// together. The pictures decide about their format, so the sound looks for its device when it is used, in whatever order the two were
    /// asked for.
    func capture(
        _ blueprint: SourceBlueprint, timing: CaptureTiming, logger: Logger
    ) throws(MediaError) -> CaptureSource {
        let isPair = try blueprint.kinds().count > 1
        let source = blueprint.source
        return state.withLock { state in
            if let present = state.sources[source]?.object { return present }
            state.forgetUnused()
            let make: @Sendable () -> CaptureDevice = { CaptureDevice(blueprint, timing: timing, logger: logger) }
            let made: CaptureSource
            switch (isPair, source.kind) {
            case (false, _):
                let device = state.devices[source.opened]?.object ?? make()
                state.devices[source.opened] = Weak(object: device)
                made = CaptureSource(source) { device }
            case (true, .video):
                let device = state.pairs[source.text]?.object ?? make()
                state.pairs[source.text] = Weak(object: device)
                made = CaptureSource(source) { device }
            case (true, .audio):
                made = CaptureSource(source) { [weak self] in self?.pair(source.text) ?? make() }
            }
            state.sources[source] = Weak(object: made)
            return made
        }
    }

    private func pair(_ text: String) -> CaptureDevice? { state.withLock { $0.pairs[text]?.object } }

    /// How many there are.
    var count: Int {
        state.withLock { state in
            state.forgetUnused()
            return state.sources.count
        }
    }
}
