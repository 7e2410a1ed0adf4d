internal import CallAgent

/// Prints an agent's events.
enum AgentWatch {
    /// Follows `agent` until it is closed.
    ///
    /// Closes the agent if another sign-in replaces it: it can neither place nor receive calls any more.
    ///
    /// - Returns: The failure that ended the agent; nil if this end closed it.
    static func follow(_ agent: Agent, _ output: OutputOptions) -> Task<Failure?, Never> {
        let events = agent.events
        return Task {
            var failure: Failure?
            for await event in events {
                report(event, agent.user, output)
                if case .stateChanged(let change) = event, let error = ended(change) {
                    failure = Failure(error)
                    await agent.close()
                }
            }
            return failure
        }
    }

    private static func ended(_ change: AgentStateChange) -> CallError? {
        change.reason == .replaced
            ? .signaling(.replaced(text: "replaced by a newer sign-in")) : nil
    }

    private static func report(_ event: AgentEvent, _ user: String, _ output: OutputOptions) {
        if output.events {
            if let document = EventDocument(event, of: user) { Output.event(document) }
        } else if !output.json, let text = NoticeLine.text(event) {
            Output.line(text)
        }
    }
}
