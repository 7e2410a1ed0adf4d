internal import CallAgent

/// Tells what happens to an agent, and renews its token.
enum AgentWatch {
    /// Follows `agent` until it is closed.
    ///
    /// Closes it when its signaling ends for good: nobody could call or be called any more.
    ///
    /// - Parameter tokenFile: where the next token is when the present one expires soon; nil when there is no other.
    /// - Returns: What ended it, if that was not this end.
    static func follow(_ agent: CallAgent, _ output: OutputOptions, tokenFile: String?) -> Task<Failure?, Never> {
        let events = agent.events
        return Task {
            var failure: Failure?
            for await event in events {
                tell(event, agent.user, output)
                if case .stateChanged(let change) = event, let error = ended(change) {
                    failure = Failure(error)
                    await agent.close()
                }
                guard case .tokenWillExpire = event, let tokenFile else { continue }
                do {
                    try await agent.renew(token: TokenFile.read(tokenFile))
                    note("tokenRenewed", "the token was renewed", agent.user, output)
                } catch {
                    note("tokenNotRenewed", "the token was not renewed: \(error)", agent.user, output)
                }
            }
            return failure
        }
    }

    private static func ended(_ change: AgentStateChange) -> CallError? {
        change.reason == .replaced
            ? .signaling(.replaced(text: "replaced by a newer sign-in")) : nil
    }

    private static func tell(_ event: AgentEvent, _ user: String, _ output: OutputOptions) {
        if output.events {
            if let document = EventDocument(event, of: user) { Output.event(document) }
        } else if !output.json, let text = NoticeLine.text(event) {
            Output.line(text)
        }
    }

    private static func note(_ name: String, _ text: String, _ user: String, _ output: OutputOptions) {
        if output.events {
            var event = EventDocument(name)
            (event.user, event.text) = (user, text)
            Output.event(event)
        } else if !output.json {
            Output.line(text)
        }
    }
}
