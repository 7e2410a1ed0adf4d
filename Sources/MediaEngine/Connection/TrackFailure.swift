internal import Logging

/// The failure of an element, which ends half of its track; the rest of the connection continues.
public struct TrackFailure: Sendable, Equatable {
    /// Which half of the track.
    public enum Direction: String, Sendable, Equatable, CaseIterable {
        /// From source to network: nothing is sent on it any more, and its device is closed.
        case sending
        /// From network to sinks: nothing of it is shown, played or recorded any more.
        case receiving
    }

    /// The track.
    public let track: TrackID
    /// Which half failed.
    public let direction: Direction
    /// The codec of the track.
    public let codec: Codec
    /// The element that failed first, by type and name, such as `GstVP8Enc:encoder`.
    public let element: String
    /// The reason, in GStreamer's words.
    public let text: String

    /// `path` is that of the element in its pipeline.
    init(_ track: TrackID, _ direction: Direction, _ codec: Codec, path: String, message: String, debug: String) {
        (self.track, self.direction, self.codec) = (track, direction, codec)
        element = path.split(separator: "/").last.map(String.init) ?? path
        text = message + (debug.split(separator: "\n").last.map { " (\($0))" } ?? "")
    }

    /// What the user can do.
    public var remedy: String {
        let part = direction == .sending ? "encoder" : "decoder"
        return "choose another codec than \(codec.encodingName), or a pipeline description with another \(part)"
    }
}

extension TrackFailure: CustomStringConvertible {
    /// One line: what, why and what to do.
    public var description: String {
        let what = direction == .sending ? "sent" : "received"
        return "no \(track) is \(what) any more: \(element) failed: \(text); \(remedy)"
    }
}

/// The handling of failed elements: the connection continues with what still works.
extension PeerConnection {
    /// Ends the half of a track that the element belongs to; the connection ends if it belongs to none, or when the last half has failed.
    ///
    /// When an element fails, the elements upstream of it fail, too, and each reports an error: the first error counts.
    ///
    /// Data channels end alone: `sctpenc` fails when the peer aborts their association (RFC 9260 section 9.1), and when it cannot send.
    func takeError(of path: String, _ message: String, _ debug: String) {
        let error = MediaError.elementFailed(element: path, message: message, debug: debug)
        if path.contains("/GstSctp") {
            guard hasData != false else { return }
            logger.warning("the data channels ended: \(error)")
            hasData = false
            return endDataChannels()
        }
        guard let media, let failure = media.failure(ofElementAt: path, message, debug) else {
            eventSink.yield(.init(.failed(error)))
            return
        }
        guard !hasFailed(failure.track, failure.direction) else { return }
        logger.error("\(failure)")
        failures.append(failure)
        // A failed receiving half stops by itself.
        if failure.direction == .sending { applyMode(of: failure.track) }
        let isLast = failures.count == media.choices.count * TrackFailure.Direction.allCases.count
        eventSink.yield(.init(isLast ? .failed(error) : .trackFailed(failure)))
    }

    /// Whether one half of a track has failed.
    func hasFailed(_ track: TrackID, _ direction: TrackFailure.Direction) -> Bool {
        failures.contains { $0.track == track && $0.direction == direction }
    }
}
