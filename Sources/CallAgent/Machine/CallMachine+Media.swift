/// What the media does, and what time does.
extension CallMachine {
    mutating func handleMedia(_ event: Event) -> [Effect] {
        switch event {
        case .offerCreated(let sdp): return invite(sdp)
        case .answerCreated(let sdp): return answer(sdp)
        case .localCandidate(let candidate): return trickle(candidate)
        case .verified:
            isVerified = true
            return [.cancelTimer(.peerGone)]
        case .firstVideoFrame: return media.video ? firstFrame() : []
        case .firstAudioSample: return media.video ? [] : firstFrame()
        case .interrupted: return interrupt()
        case .resumed: return resume()
        case .mediaFailed(.security(let text)): return finish(.securityFailed, text: text, by: .peer)
        case .mediaFailed(.incompatible(let text)): return finish(.incompatibleMedia, text: text, by: .peer)
        case .mediaFailed(.other(let text)): return finish(.mediaFailed, text: text, by: .local)
        default: return []
        }
    }

    private mutating func invite(_ sdp: String) -> [Effect] {
        guard phase == .calling, !isInviteSent else { return [.ignored("an offer that nobody waits for")] }
        isInviteSent = true
        defer { heldCandidates = [] }
        let invite = SignalingMessage.Invite(media: media, ringTimeoutMs: timeouts.ringMs, sdp: sdp)
        return [.send(.invite(invite))] + heldCandidates.map { .send(.candidate($0)) }
    }

    private mutating func answer(_ sdp: String) -> [Effect] {
        guard isAnswerAsked, !isAnswered else { return [.ignored("an answer that nobody waits for")] }
        isAnswered = true
        return [.send(phase == .accepted ? .accept(sdp: sdp) : .progress(sdp: sdp))]
    }

    /// Whether a callee is to make its answer, or has made it.
    private var isAnswerAsked: Bool { role == .callee && phase != .idle && pendingOffer == nil }

    private mutating func trickle(_ candidate: SignalingMessage.Candidate) -> [Effect] {
        switch role {
        case .caller where !isInviteSent:
            heldCandidates.append(candidate)
            return []
        case .callee where !isAnswerAsked: return [.ignored("a candidate that the caller is not to know yet")]
        default: return [.send(.candidate(candidate))]
        }
    }

    private mutating func firstFrame() -> [Effect] {
        guard !hasFirstFrame else { return [] }
        hasFirstFrame = true
        return phase == .accepted ? connect(.firstFrame, by: .peer) : []
    }

    private mutating func interrupt() -> [Effect] {
        guard !isInterrupted else { return [] }
        isInterrupted = true
        if isPeerGone { return finish(.remoteLost, by: .peer) }
        guard state == .reconnecting else { return [] }
        return [startTimer(.mediaLost), report(.interrupted, by: .peer)]
    }

    private mutating func resume() -> [Effect] {
        let wasReconnecting = state == .reconnecting
        isInterrupted = false
        return wasReconnecting ? [.cancelTimer(.mediaLost), report(.resumed, by: .peer)] : []
    }

    // MARK: Time

    mutating func handleTimer(_ timer: CallTimer) -> [Effect] {
        switch (timer, phase) {
        case (.ring, .calling), (.ring, .ringing): return finish(.ringTimeout, by: .local)
        case (.connect, .accepted) where !hasFirstFrame: return finish(.connectTimeout, by: .local)
        case (.mediaLost, .accepted) where state == .reconnecting: return finish(.mediaLost, by: .peer)
        case (.peerGone, _) where isPeerGone && !isVerified: return finish(.remoteLost, by: .peer)
        default: return []
        }
    }
}
