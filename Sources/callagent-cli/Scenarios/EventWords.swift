internal import CallAgent

/// The words by which conditions name the events of a call: the name of an event, and the name with a value.
struct EventWords {
    /// What the peer sent so far.
    private var peerSends: MediaState

    init(peerSends: MediaState) { self.peerSends = peerSends }

    mutating func words(of event: CallEvent, _ call: Call) -> [String] {
        switch event {
        case .stateChanged(let change):
            // States that are stages, too, are noted as such, once; unless a call comes back to one.
            let isStage = CallTimeline.Stage(rawValue: change.state.rawValue) != nil
            return isStage && change.reason != .resumed ? [] : [change.state.rawValue]
        case .notice(.peerMediaChanged(let state)):
            defer { peerSends = state }
            // Of the two only what is new.
            let changes = [
                state.audio == peerSends.audio ? nil : "audio=\(state.audio.rawValue)",
                state.video == peerSends.video ? nil : "video=\(state.video.rawValue)",
            ]
            return Self.words("peerMediaChanged", changes)
        default: return Self.words(of: EventDocument(event, of: call))
        }
    }

    static func words(of document: EventDocument) -> [String] {
        words(
            document.event,
            [document.digit, document.content, document.hold?.rawValue, document.kind, document.device])
    }

    private static func words(_ event: String, _ values: [String?]) -> [String] {
        [event] + values.compactMap { $0.map { "\(event):\($0)" } }
    }
}
