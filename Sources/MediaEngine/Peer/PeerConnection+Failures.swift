internal import Logging

/// What is done about an element that fails: the connection goes on with what still works.
extension PeerConnection {
    /// Ends the half of a track that the element is part of; the connection ends when the element belongs to none, and with the last half.
    ///
    /// An element that fails takes those before it with it, each of which says so: the first one counts.
    func takeError(of path: String, _ message: String, _ debug: String) {
        let error = MediaError.elementFailed(element: path, message: message, debug: debug)
        guard let media, let failure = media.failure(ofElementAt: path, message, debug) else {
            eventSink.yield(.init(.failed(error)))
            return
        }
        guard !hasFailed(failure.kind, failure.direction) else { return }
        logger.error("\(failure)")
        failures.append(failure)
        // What fails while it is received takes nothing more by itself.
        if failure.direction == .sending { applyMode(of: failure.kind) }
        let isLast = failures.count == media.choices.count * TrackFailure.Direction.allCases.count
        eventSink.yield(.init(isLast ? .failed(error) : .trackFailed(failure)))
    }

    /// Whether one half of a track has failed.
    func hasFailed(_ kind: MediaKind, _ direction: TrackFailure.Direction) -> Bool {
        failures.contains { $0.kind == kind && $0.direction == direction }
    }
}
