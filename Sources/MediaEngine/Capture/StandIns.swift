internal import Synchronization

/// The replacements for a lost source: a moving test pattern, and silence; each is made when it is needed.
final class StandIns: Sendable {
    private let catalog: PipelineCatalog
    private let captures = Mutex<[MediaKind: RunningCapture]>([:])

    init(catalog: PipelineCatalog) { self.catalog = catalog }

    /// `format` is the wanted video format at the time when the first one is made.
    func capture(_ kind: MediaKind, _ format: VideoFormat) throws(MediaError) -> RunningCapture {
        if let present = captures.withLock({ $0[kind] }) { return present }
        let source: MediaSource =
            switch kind {
            case .video: .video(.test(.ball, format: format))
            case .audio: .audio(.silence)
            }
        let made = try RunningCapture(
            SourceBlueprint(source: source, catalog: catalog).build(), name: "the stand-in", format: format)
        captures.withLock { $0[kind] = made }
        return made
    }

    func turn(_ source: MediaSource, _ orientation: VideoOrientation) throws(MediaError) {
        for capture in captures.withLock({ Array($0.values) }) { try capture.turn(source, orientation) }
    }

    /// Returns them to be stopped; they feed no branch any more.
    func take() -> [Pipeline] {
        captures.withLock { captures in
            defer { captures = [:] }
            return captures.values.map(\.pipeline)
        }
    }
}
