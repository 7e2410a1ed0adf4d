internal import CallProtocol

/// Media facts and timers.
extension CallMachine {
    mutating func handleMedia(_ fact: MediaFact, generation number: Int) -> [Effect] {
        guard number == current.number || number == next?.number else {
            return [.ignored("media of generation \(number)")]
        }
        if let effects = handlePath(fact, generation: number) { return effects }
        if number == next?.number { return handleNext(fact) }
        switch fact {
        case .offerCreated(let sdp): return offer(sdp)
        case .answerCreated(let sdp): return answer(sdp)
        case .localCandidate(let candidate): return trickle(candidate)
        case .verified: current.isVerified = true
        case .firstVideoFrame: current.hasVideoFrame = true
        case .firstAudioSample: current.hasAudioSample = true
        case .trackFailed(let fault):
            current.failed.insert(fault.half)
            return [.notify(.trackFailed(fault))]
        case .captureFailed(let fault): return captureFailed(fault)
        case .interrupted: current.isInterrupted = true
        case .resumed: current.isInterrupted = current.failure != nil
        case .failed(.security(let text)): return finish(.securityFailed, text: text, by: .peer)
        case .failed(.incompatible(let text)): return finish(.incompatibleMedia, text: text, by: .peer)
        case .failed(.other(let text)): return connectionFailed(text)
        default: return notice(of: fact).map { [.notify($0)] } ?? []
        }
        return []
    }

    /// This medium is not sent until the user turns it on again, whichever peer connection the source was opened for.
    private mutating func captureFailed(_ fault: CaptureFault) -> [Effect] {
        switch fault.medium {
        case .audio: own.audio = .off
        case .video: own.video = .off
        }
        return [.notify(.captureFailed(fault))]
    }

    /// The notice about a fact that changes no state.
    private func notice(of fact: MediaFact) -> CallNotice? {
        switch fact {
        case .dtmf(let digit): .dtmf(digit: digit)
        case .videoAdapted(let change): .videoAdapted(change)
        case .captureLost(let fault): .captureLost(fault)
        case .captureRestored(let medium): .captureRestored(medium)
        case .warning(let text), .recordingFailed(let text): .mediaWarning(text: text)
        default: nil
        }
    }

    private mutating func offer(_ sdp: String) -> [Effect] {
        guard role == .caller, phase != .idle, !current.isOffered else {
            return [.ignored("an offer that nobody waits for")]
        }
        current.isOffered = true
        defer { current.heldCandidates = [] }
        let body: SignalingMessage.Body =
            current.number == 0
            ? .invite(.init(media: media, ringTimeoutMs: timeouts.ringMs, sdp: sdp, state: takeUnsentState()))
            : .offer(.init(media: media, sdp: sdp))
        return [send(body)] + current.heldCandidates.map { send(.candidate($0)) }
    }

    private mutating func answer(_ sdp: String) -> [Effect] {
        guard isAnswerAsked, !current.isAnswered else { return [.ignored("an answer that nobody waits for")] }
        current.isAnswered = true
        if current.number > 0 { return [send(.answer(sdp: sdp))] }
        if phase == .accepted { return [send(.accept(sdp: sdp, state: stateForAccept()))] }
        return [send(.progress(sdp: sdp, state: takeUnsentState()))]
    }

    /// Whether a callee has to make its answer, or has made it.
    private var isAnswerAsked: Bool { role == .callee && phase != .idle && current.pendingOffer == nil }

    private mutating func trickle(_ candidate: SignalingMessage.Candidate) -> [Effect] {
        switch role {
        case .caller where !current.isOffered:
            current.heldCandidates.append(candidate)
            return []
        case .callee where !isAnswerAsked: return [.ignored("a candidate that the caller is not to know yet")]
        default: return [send(.candidate(candidate))]
        }
    }

    /// The next peer connection; a failure there does not end the call.
    private mutating func handleNext(_ fact: MediaFact) -> [Effect] {
        guard var generation = next else { return [] }
        defer { if next != nil { next = generation } }
        switch fact {
        case .offerCreated(let sdp) where role == .caller && !generation.isOffered:
            generation.isOffered = true
            defer { generation.heldCandidates = [] }
            let offer = SignalingMessage.Offer(media: generation.media, sdp: sdp)
            return [send(.offer(offer), of: generation)]
                + generation.heldCandidates.map { send(.candidate($0), of: generation) }
        case .answerCreated(let sdp) where role == .callee && !generation.isAnswered:
            generation.isAnswered = true
            return [send(.answer(sdp: sdp), of: generation)]
        case .localCandidate(let candidate) where role == .caller && !generation.isOffered:
            generation.heldCandidates.append(candidate)
        case .localCandidate(let candidate): return [send(.candidate(candidate), of: generation)]
        case .verified: generation.isVerified = true
        case .firstVideoFrame: generation.hasVideoFrame = true
        case .firstAudioSample: generation.hasAudioSample = true
        case .trackFailed(let fault):
            generation.failed.insert(fault.half)
            return [.notify(.trackFailed(fault))]
        case .captureFailed(let fault): return captureFailed(fault)
        case .interrupted: generation.isInterrupted = true
        case .resumed: generation.isInterrupted = false
        case .failed(let fault): return nextFailed(fault)
        case .offerCreated, .answerCreated: return [.ignored("a description that nobody waits for")]
        default: return notice(of: fact).map { [.notify($0)] } ?? []
        }
        return []
    }

    private mutating func nextFailed(_ fault: MediaFault) -> [Effect] {
        // This end has committed to the new connection, and now it fails.
        if next?.isCommittedHere == true { return finish(.mediaFailed, text: fault.text, by: .local) }
        return rollBack(fault.text)
    }

    // MARK: Time

    mutating func handleTimer(_ timer: CallTimer) -> [Effect] {
        switch (timer, phase) {
        case (.ring, .calling), (.ring, .ringing): return finish(.ringTimeout, by: .local)
        case (.connect, .accepted) where !hasFirstFrame:
            let lacksVideo = current.hasAudioSample && !current.hasVideoFrame && !current.isInterrupted
            return finish(.connectTimeout, text: lacksVideo ? "audio arrived, but no video" : "", by: .local)
        case (.mediaLost, .accepted) where state == .reconnecting: return finish(.mediaLost, by: .peer)
        case (.peerGone, _) where peerPresence == .leaving: peerPresence = .gone
        case (.fork, _): return forkTimedOut()
        case (.change, .accepted): return changeTimedOut()
        case (.iceRestart, .accepted): return restartTimedOut()
        case (.audioGrace, .accepted) where !hasFirstFrame && current.hasAudioSample:
            isVideoWaived = true
            return [.notify(.videoPending)]
        default: break
        }
        return []
    }
}

extension MediaFault {
    /// The text for display.
    var text: String {
        switch self {
        case .security(let text), .incompatible(let text), .other(let text): text
        }
    }
}
