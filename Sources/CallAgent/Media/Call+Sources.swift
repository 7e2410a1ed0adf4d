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

    /// Turns the pictures that are sent from the next one on, in all calls that share their source; nothing is negotiated.
    ///
    /// A quarter turn makes a picture that is as high as it was wide.
    ///
    /// - Throws: ``CallError/media(_:)`` when there is no source of pictures, ``CallError/wrongState(operation:state:)`` after the end.
    public func turnVideo(_ orientation: VideoOrientation) async throws(CallError) {
        guard machine.state != .ended else {
            throw .wrongState(
                operation: "turn the pictures", state: "the \(role) of a call that is \(machine.stateText)")
        }
        do throws(MediaSessionError) {
            for media in generations.values { try await media.turnVideo(orientation) }
        } catch {
            throw .media(error)
        }
    }
}
