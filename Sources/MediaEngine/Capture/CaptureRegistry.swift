internal import Logging
internal import Synchronization

/// The captures that an engine's calls share, for as long as they are in use.
///
/// References are weak: an application may make a source for each call, and the next call may not use it.
final class CaptureRegistry: Sendable {
    private struct Weak<Object: AnyObject & Sendable>: Sendable {
        weak let object: Object?
    }

    private struct State {
        var sources: [MediaSource: Weak<CaptureSource>] = [:]
        /// The devices behind the sources.
        var devices: [MediaSource: Weak<CaptureDevice>] = [:]
        /// The devices that give both video and audio, by the text of their source.
        var pairs: [String: Weak<CaptureDevice>] = [:]

        mutating func forgetUnused() {
            sources = sources.filter { $0.value.object != nil }
            devices = devices.filter { $0.value.object != nil }
            pairs = pairs.filter { $0.value.object != nil }
        }
    }
    private let state = Mutex(State())

    /// Returns the capture of what `blueprint` builds, and makes it if needed.
    ///
    /// One device serves all sizes of one camera. One device also serves video and audio of one file or network camera, so that they stay in sync.
    /// The video decides the format, so the audio looks for its device only when it is used. The order of the two requests does not matter.
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

    /// The number of captures.
    var count: Int {
        state.withLock { state in
            state.forgetUnused()
            return state.sources.count
        }
    }
}
