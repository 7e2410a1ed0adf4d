internal import CallAgent
internal import MediaEngine
internal import WHIPSignaling

/// A prepared agent with its hooks, its watch and its preview.
struct AgentSession: Sendable {
    let agent: Agent
    /// What its media runs on; devices are opened once for all that share it.
    let engine: Engine
    /// The agent's configuration.
    let configuration: AgentConfiguration
    let hooks: HookRunner?
    let watch: Task<Failure?, Never>
    /// The media server that the agent is; nil if it has signed in at a signaling server.
    var endpoint: WHIPEndpoint?
    /// Shows the user the video that is sent.
    var preview: CapturePreview?

    /// Hangs up, signs out, and waits for running tasks, all within a bounded time.
    ///
    /// Not cancelled with the current task: calls are hung up also after a signal.
    ///
    /// - Returns: The failure that ended the agent before; nil if this call ended it.
    @discardableResult
    func close() async -> Failure? {
        await Task {
            await agent.close()
            await preview?.stop()
            let failure = await watch.value
            await hooks?.finish()
            return failure
        }
        .value
    }
}
