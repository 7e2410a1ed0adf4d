internal import Logging

/// The handling of failed elements: the connection continues with what still works.
extension PeerConnection {
    /// Ends the half of a track that the element belongs to; the connection ends if it belongs to none, or when the last half has failed.
    ///
    /// When an element fails, the elements upstream of it fail, too, and each reports an error: the first error counts.
    func takeError(of path: String, _ message: String, _ debug: String) {
        let error = MediaError.elementFailed(element: path, message: message, debug: debug)
        guard let media, let failure = media.failure(ofElementAt: path, message, debug) else {
            eventSink.yield(.init(.failed(error)))
            return
        }
        guard !hasFailed(failure.kind, failure.direction) else { return }
        logger.error("\(failure)")
        failures.append(failure)
        // A failed receiving half stops by itself.
        if failure.direction == .sending { applyMode(of: failure.kind) }
        let isLast = failures.count == media.choices.count * TrackFailure.Direction.allCases.count
        eventSink.yield(.init(isLast ? .failed(error) : .trackFailed(failure)))
    }

    /// Whether one half of a track has failed.
    func hasFailed(_ kind: MediaKind, _ direction: TrackFailure.Direction) -> Bool {
        failures.contains { $0.kind == kind && $0.direction == direction }
    }
}
