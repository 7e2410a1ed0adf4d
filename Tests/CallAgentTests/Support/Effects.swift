@testable import CallAgent

/// Short names for the effects of the rules, so that a test reads like a trace.
extension CallMachine.Effect {
    static func report(_ state: CallState, _ reason: ChangeReason, by party: CallParty) -> Self {
        .report(CallStateChange(state: state, reason: reason, by: party))
    }

    static func start(_ timer: CallTimer, _ milliseconds: Int) -> Self {
        .startTimer(timer, milliseconds: milliseconds)
    }

    /// The gates of a call with audio and video.
    static let openSendGates = Self.setGates(.init(audio: .live, video: .live))
    static let openReceiveGates = Self.setGates(.init(audio: .live, video: .live, isReceiving: true))
    /// The gates of a call without video.
    static let openAudioGates = Self.setGates(.init(audio: .live, video: .closed))
    static let openAudioBothWays = Self.setGates(.init(audio: .live, video: .closed, isReceiving: true))

    var message: SignalingMessage.Body? { if case .send(let body, _) = self { body } else { nil } }

    /// Whether this effect opens the receive gates.
    var opensReceiveGates: Bool { if case .setGates(let gates, _) = self { gates.isReceiving } else { false } }

    /// Whether this effect opens a send gate.
    var opensSendGates: Bool {
        if case .setGates(let gates, _) = self { gates.audio != .closed || gates.video != .closed } else { false }
    }

    var change: CallStateChange? { if case .report(let change) = self { change } else { nil } }

    var isIgnored: Bool { if case .ignored = self { true } else { false } }
}

extension [CallMachine.Effect] {
    /// The effects of the end of a call: all timers stopped, the media closed, one report.
    static func end(_ reason: EndReason, by party: CallParty, telling body: SignalingMessage.Body? = nil) -> Self {
        (body.map { [.send($0)] } ?? []) + CallTimer.allCases.map { .cancelTimer($0) }
            + [.stopMedia, .report(.ended, .ended(reason), by: party)]
    }

    /// Whether the effects are only a line for the log.
    var isNothing: Bool { allSatisfy(\.isIgnored) }

    var messages: [SignalingMessage.Body] { compactMap(\.message) }
}

extension CallMachine.Event {
    static func offerCreated(sdp: String) -> Self { .media(.offerCreated(sdp: sdp)) }
    static func answerCreated(sdp: String) -> Self { .media(.answerCreated(sdp: sdp)) }
    static func localCandidate(_ candidate: SignalingMessage.Candidate) -> Self { .media(.localCandidate(candidate)) }
    static func mediaFailed(_ fault: MediaFault) -> Self { .media(.failed(fault)) }
    static let iceConnected = Self.media(.iceConnected)
    static let verified = Self.media(.verified)
    static let firstVideoFrame = Self.media(.firstVideoFrame)
    static let firstAudioSample = Self.media(.firstAudioSample)
    static let firstVideoShown = Self.media(.firstVideoShown)
    static let firstAudioHeard = Self.media(.firstAudioHeard)
    static let interrupted = Self.media(.interrupted)
    static let resumed = Self.media(.resumed)

    static let hangUp = Self.hangUp(text: "")
    static let decline = Self.reject(code: 603, text: "")
}

extension SignalingMessage.Body {
    static let anInvite = Self.invite(.init(media: .audioVideo, ringTimeoutMs: 30_000, sdp: "offer"))
    static let aCandidate = Self.candidate(.example)

    /// The same without its random parts.
    var withoutRoom: Self {
        guard case .invite(var invite) = self else { return self }
        invite.room = nil
        return .invite(invite)
    }

    static func reject(_ code: Int, _ text: String = "") -> Self { .reject(.init(code: code, text: text)) }
    static func cancel(_ code: Int, _ text: String = "") -> Self { .cancel(.init(code: code, text: text)) }
    static func hangup(_ code: Int, _ text: String = "") -> Self { .hangup(.init(code: code, text: text)) }
    static func error(_ code: Int, _ text: String = "") -> Self { .error(.init(code: code, text: text, ref: nil)) }
}

extension SignalingMessage.Candidate {
    static let example = Self(candidate: "candidate:1 1 UDP 2 127.0.0.1 9 typ host", mLine: 0)
}
