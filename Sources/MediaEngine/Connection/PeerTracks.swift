internal import Synchronization

/// The tracks of a peer connection; the offerer's use its preferred codecs until the answer selects others.
///
/// GStreamer callbacks read them, too.
final class PeerTracks: Sendable {
    private struct State {
        var choices: [PeerMedia.Choice]
        var sending: [MediaKind: SendTrack] = [:]
        var receiving: [MediaKind: ReceiveTrack] = [:]
    }

    private let state: Mutex<State>

    init(_ choices: [PeerMedia.Choice]) { state = Mutex(State(choices: choices)) }

    /// By m-line.
    var choices: [PeerMedia.Choice] { state.withLock { $0.choices } }
    var sending: [MediaKind: SendTrack] { state.withLock { $0.sending } }
    var receiving: [MediaKind: ReceiveTrack] { state.withLock { $0.receiving } }

    /// The failure of the half track that the element of this path belongs to; nil when the element belongs to none.
    func failure(ofElementAt path: String, _ message: String, _ debug: String) -> TrackFailure? {
        let state = state.withLock { $0 }
        if let track = state.sending.values.first(where: { $0.contains(path) }) {
            return TrackFailure(track.kind, .sending, track.codec, path: path, message: message, debug: debug)
        }
        guard let track = state.receiving.values.first(where: { $0.contains(path) }) else { return nil }
        return TrackFailure(track.kind, .receiving, track.codec, path: path, message: message, debug: debug)
    }

    func set(_ choices: [PeerMedia.Choice]) { state.withLock { $0.choices = choices } }
    func set(_ track: SendTrack) { state.withLock { $0.sending[track.kind] = track } }
    func set(_ track: ReceiveTrack) { state.withLock { $0.receiving[track.kind] = track } }
}
