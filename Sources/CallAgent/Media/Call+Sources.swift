public import MediaEngine

extension Call {
    /// Sends another source of the same kind from now on: another camera, size, rate or tone.
    ///
    /// Nothing is negotiated, and the peer sees it with the next pictures. Legal in every state before the end; pictures that the call
    /// does not have yet are sent from ``changeMedia(to:)`` on. What is sent stays muted or off if it was: a user without a camera
    /// turns the new one on with ``setVideo(_:)``.
    ///
    /// - Throws: ``CallError/media(_:)`` when the source is unknown or cannot be opened; the former one goes on then.
    ///   ``CallError/wrongState(operation:state:)`` after the end.
    public func setSource(_ source: MediaSource) async throws(CallError) {
        guard machine.state != .ended else {
            throw .wrongState(operation: "set a source", state: "the \(role) of a call that is \(machine.stateText)")
        }
        do throws(MediaSessionError) {
            if media.has(source.kind) { for media in generations.values { try await media.setSource(source) } }
            sources.note(source)
        } catch {
            throw .media(error)
        }
    }
}
