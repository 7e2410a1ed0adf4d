internal import CallAgent

/// Follows one call for the output.
enum CallWatch {
    /// Prints what happens to `call` until it ends.
    static func follow(_ call: Call, _ options: OutputOptions) -> Task<Void, Never> {
        let events = call.events
        return Task {
            for await event in events {
                if options.events {
                    Output.event(EventDocument(event, of: call))
                } else if case .stateChanged(let change) = event {
                    Output.progress("\(call.peer): \(change.state.rawValue)")
                }
            }
        }
    }

    /// Waits until `call` is connected.
    ///
    /// - Returns: False when it ended before.
    static func untilConnected(_ call: Call) async -> Bool {
        for await event in call.events {
            if case .stateChanged(let change) = event, change.state == .connected { return true }
        }
        return false
    }
}
