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
    /// Pictures and sound of one file or camera come from one device, so that they stay together, unless they were asked for in another format.
    func capture(
        _ blueprint: SourceBlueprint, timing: CaptureTiming, logger: Logger
    ) throws(MediaError) -> CaptureSource {
        let gives = try blueprint.kinds()
        let source = blueprint.source
        return state.withLock { state in
            if let present = state.sources[source] { return present }
            let device: CaptureDevice
            if gives.count > 1, let pair = state.pairs[source.text], pair.fits(source) {
                device = pair
            } else {
                device = CaptureDevice(blueprint, timing: timing, logger: logger)
                if gives.count > 1 { state.pairs[source.text] = device }
            }
            let made = CaptureSource(source, device: device)
            state.sources[source] = made
            return made
        }
    }
}

extension CaptureDevice {
    /// Whether it can feed this source, too.
    nonisolated fileprivate func fits(_ other: MediaSource) -> Bool {
        switch (blueprint.source, other) {
        case (_, .audio): true
        case (.video(let mine), .video(let theirs)): mine == theirs
        case (.audio, .video(let theirs)): theirs.format == VideoFormat() && theirs.orientation == .upright
        }
    }
}
