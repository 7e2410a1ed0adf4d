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
            tellAttributes()
        } catch {
            throw .media(error)
        }
    }

    /// Turns the pictures that are sent from the next one on, in all calls that share their source; nothing is negotiated.
    ///
    /// A quarter turn makes a picture that is as high as it was wide. The agent's own source stays turned for later calls.
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

    /// Plays the sound of the peer from now on, or does not; pictures go on, and the peer is not told.
    ///
    /// Legal in every state. Sound that is not played is not recorded either.
    public func setOutput(_ isOn: Bool) async {
        isOutputOn = isOn
        for media in generations.values { await media.setOutput(isOn) }
    }

    /// What this machine lacks that the media of the call needed.
    var missingPrerequisite: MediaSessionError? { reported?.missingPrerequisite }

    /// Presses keys of a telephone (RFC 4733): `0` to `9`, `*`, `#` and `A` to `D`, large or small, 250 ms each at least, 100 ms between at least.
    ///
    /// They are queued after those that were pressed before, and sent whatever becomes of the sound. Legal while it rings at the caller and in
    /// an accepted call that nobody holds; the peer's user is told of keys from before the accept when the call is connected.
    ///
    /// - Throws: ``CallError/noTelephoneEvents`` when the peer takes none, and while it rings at a callee that has not answered in SDP yet;
    ///   ``CallError/media(_:)`` for what is no key, and for more than 64; ``CallError/wrongState(operation:state:)`` in other states.
    public func sendDTMF(_ keys: String) async throws(CallError) {
        guard machine.maySendKeys, let media = generations[machine.shown.number] else {
            throw .wrongState(operation: "a key", state: "the \(role) of a call that is \(machine.stateText)")
        }
        record(.user, "sendDTMF", at: .now)
        let isTaken: Bool
        do throws(MediaSessionError) { isTaken = try await media.sendDTMF(keys) } catch { throw .media(error) }
        guard isTaken else { throw .noTelephoneEvents }
    }
}
