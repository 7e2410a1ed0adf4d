internal import Synchronization

/// The tracks of a peer connection; the offerer's use its preferred codecs until the answer selects others.
///
/// GStreamer callbacks read them, too.
final class PeerTracks: Sendable {
    private struct State {
        var choices: [PeerMedia.Choice]
        var sending: [TrackID: SendTrack] = [:]
        var receiving: [TrackID: ReceiveTrack] = [:]
    }

    private let state: Mutex<State>

    init(_ choices: [PeerMedia.Choice]) { state = Mutex(State(choices: choices)) }

    /// By m-line.
    var choices: [PeerMedia.Choice] { state.withLock { $0.choices } }
    var sending: [TrackID: SendTrack] { state.withLock { $0.sending } }
    var receiving: [TrackID: ReceiveTrack] { state.withLock { $0.receiving } }

    /// The videos, in order.
    var videos: [SendTrack] { sending.sorted { $0.key < $1.key }.filter { $0.key.kind == .video }.map(\.value) }

    /// The videos that are sent now, if their rate can be changed; the first one when none is sent.
    var sentVideos: SentVideos { SentVideos(videos.filter { $0.rate != nil }) }

    /// The failure of the half track that the element of this path belongs to; nil when the element belongs to none.
    func failure(ofElementAt path: String, _ message: String, _ debug: String) -> TrackFailure? {
        let state = state.withLock { $0 }
        if let track = state.sending.values.first(where: { $0.contains(path) }) {
            return TrackFailure(track.id, .sending, track.codec, path: path, message: message, debug: debug)
        }
        guard let track = state.receiving.values.first(where: { $0.contains(path) }) else { return nil }
        return TrackFailure(track.id, .receiving, track.codec, path: path, message: message, debug: debug)
    }

    func set(_ choices: [PeerMedia.Choice]) { state.withLock { $0.choices = choices } }
    func set(_ track: SendTrack) { state.withLock { $0.sending[track.id] = track } }
    func set(_ track: ReceiveTrack) { state.withLock { $0.receiving[track.id] = track } }
}
