internal import CallAgent
internal import MediaEngine

/// A prepared agent, with what runs beside it.
struct AgentSession: Sendable {
    let agent: CallAgent
    let hooks: HookRunner?
    let watch: Task<Failure?, Never>
    /// What shows its user what it sends.
    var preview: CapturePreview?

    /// Hangs up, signs out, and waits for what still runs, all within a bounded time.
    ///
    /// Not cancelled with the present task: the farewells go out also after a signal.
    ///
    /// - Returns: What had ended the agent already; nil when it was this.
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
