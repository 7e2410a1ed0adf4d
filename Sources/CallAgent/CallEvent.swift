/// An event of a call.
public enum CallEvent: Sendable, Equatable {
    /// The state changed; a new stream begins with the current state.
    case stateChanged(CallStateChange)
    /// The call reached a stage, this many ms after its start.
    case reached(CallTimeline.Stage, milliseconds: Double)
    /// Either end changed what it sends, or its frame size changed.
    case attributesChanged(MediaAttributes)
    /// Something else happened.
    case notice(CallNotice)
    /// What the connection did since the previous event, every ``AgentConfiguration/statisticsInterval``.
    case statistics(CallStatistics)
    /// A message carried data of the peer's application.
    case extensionData([String: String])
    /// This stream was read too slowly: this many events, none of them a state change, were dropped here.
    case eventsDropped(Int)
}

extension CallEvent: ObservableEvent {
    var isState: Bool { if case .stateChanged = self { true } else { false } }
    var droppedCount: Int? { if case .eventsDropped(let count) = self { count } else { nil } }
}
