public import MediaEngine

extension Call {
    /// Sends another source of the same medium from now on: another camera, size, rate or tone.
    ///
    /// Nothing is negotiated; the peer sees the new source with the next frames. Allowed in every state before the end. Video that
    /// the call does not have yet is sent from ``changeMedia(to:)`` on. A medium that is muted or off stays so: a user without a
    /// camera turns the new one on with ``setVideo(_:)``, before or after this.
    ///
    /// - Throws: ``CallError/media(_:)`` when the source is unknown or cannot be opened; the former source stays in use.
    ///   ``CallError/wrongState(operation:state:)`` after the end.
    public func setSource(_ source: MediaSource) async throws(CallError) {
        guard machine.state != .ended else {
            throw .wrongState(operation: "set a source", state: "the \(role) of a call that is \(machine.stateText)")
        }
        // The fault of the former source; the new one may have its own fault before it is set.
        let medium: CaptureFault.Medium = source.kind == .video ? .video : .audio
        let former = captureFaults.removeValue(forKey: medium)
        do throws(MediaSessionError) {
            if media.has(source.kind) { for media in generations.all { try await media.setSource(source) } }
            sources.note(source)
            process(.setSource(medium))
            reportAttributes()
        } catch {
            captureFaults[medium] = captureFaults[medium] ?? former
            throw .media(error)
        }
    }

    /// Rotates the sent video from the next frame on, in all calls that share its source; nothing is negotiated.
    ///
    /// A quarter turn swaps width and height. The agent's own source stays rotated for later calls.
    ///
    /// - Throws: ``CallError/media(_:)`` when there is no video source, ``CallError/wrongState(operation:state:)`` after the end.
    public func turnVideo(_ orientation: VideoOrientation) async throws(CallError) {
        guard machine.state != .ended else {
            throw .wrongState(
                operation: "turn the video", state: "the \(role) of a call that is \(machine.stateText)")
        }
        do throws(MediaSessionError) {
            for media in generations.all { try await media.turnVideo(orientation) }
        } catch {
            throw .media(error)
        }
    }

    /// Whether the peer's audio is played, as ``setOutput(_:)`` says.
    public var hasOutput: Bool { isOutputOn }

    /// Turns the output of the peer's audio on or off; video continues, and the peer is not notified.
    ///
    /// Allowed in every state. Audio that is not played is not recorded either.
    public func setOutput(_ isOn: Bool) async {
        isOutputOn = isOn
        for media in generations.all { await media.setOutput(isOn) }
    }

    /// The error about something that this machine lacks and the call's media needed.
    var missingPrerequisite: MediaSessionError? { generations.reported?.missingPrerequisite }

    /// Sends DTMF digits (RFC 4733): `0` to `9`, `*`, `#` and `A` to `D`, upper or lower case, at least 250 ms each with pauses of at least 100 ms.
    ///
    /// They are queued after earlier digits, and sent even if audio is muted or off. Allowed while it rings at the caller and in an
    /// accepted call that nobody holds. The peer's user hears digits from before the accept when the call is connected.
    ///
    /// - Throws: ``CallError/noTelephoneEvents`` when the peer accepts none, and while it rings at a callee that has not sent an
    ///   SDP answer yet; ``CallError/media(_:)`` for invalid digits and for more than 64;
    ///   ``CallError/wrongState(operation:state:)`` in other states.
    public func sendDTMF(_ digits: String) async throws(CallError) {
        guard machine.maySendKeys, let media = generations[machine.shown.number] else {
            throw .wrongState(operation: "a DTMF digit", state: "the \(role) of a call that is \(machine.stateText)")
        }
        record(.user, "sendDTMF", at: .now)
        let isTaken: Bool
        do throws(MediaSessionError) { isTaken = try await media.sendDTMF(digits) } catch { throw .media(error) }
        guard isTaken else { throw .noTelephoneEvents }
    }
}
