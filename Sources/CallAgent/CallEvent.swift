/// What the user of a call is told.
public enum CallEvent: Sendable, Equatable {
    /// The state changed; a new stream begins with the present one.
    case stateChanged(CallStateChange)
    /// A stage of the call was reached, so many ms after its start.
    case reached(CallTimeline.Stage, milliseconds: Double)
    /// Either end sends something else, or pictures of another size.
    case attributesChanged(MediaAttributes)
    /// Something else happened.
    case notice(CallNotice)
    /// What the connection did since the one before, every ``CallAgentConfiguration/statisticsInterval``.
    case statistics(CallStatistics)
    /// Data of the peer's application came with a message.
    case extensionData([String: String])
    /// This stream was read too slowly: so many events, none of them a change of state, were dropped here.
    case eventsDropped(Int)
}

extension CallEvent: ObservableEvent {
    var isState: Bool { if case .stateChanged = self { true } else { false } }
    var droppedCount: Int? { if case .eventsDropped(let count) = self { count } else { nil } }
}
