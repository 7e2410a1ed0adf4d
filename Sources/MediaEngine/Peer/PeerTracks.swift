internal import Synchronization

/// The tracks of a peer connection: of the offering end those of the codecs that it prefers, until the answer says which are taken.
///
/// Read also by callbacks of GStreamer.
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

    func set(_ choices: [PeerMedia.Choice]) { state.withLock { $0.choices = choices } }
    func set(_ track: SendTrack) { state.withLock { $0.sending[track.kind] = track } }
    func set(_ track: ReceiveTrack) { state.withLock { $0.receiving[track.kind] = track } }
}
