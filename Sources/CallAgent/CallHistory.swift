internal import CallProtocol

/// What happened in a call, for its report: its beginning and its end, if there is too much for all.
struct CallHistory: Sendable {
    static let maximumRecords = 512
    private static let maximumWarnings = 64

    private(set) var records: [CallRecord] = []
    /// How many of the middle were dropped.
    private(set) var leftOut = 0
    private(set) var warnings: [String] = []
    /// Why the first recording that failed did.
    private(set) var recordingFault: String?

    mutating func add(_ record: CallRecord) {
        if records.count == Self.maximumRecords {
            records.remove(at: Self.maximumRecords / 2)
            leftOut += 1
        }
        records.append(record)
    }

    mutating func add(warning: String) {
        if warnings.count < Self.maximumWarnings { warnings.append(warning) }
    }

    mutating func add(recordingFault: String) {
        self.recordingFault = self.recordingFault ?? recordingFault
        add(warning: recordingFault)
    }
}

extension Call {
    func record(_ event: CallMachine.Event, at instant: ContinuousClock.Instant) {
        switch event {
        case .received(let body, _, _): if !body.isRoutine { record(.received, body.name, at: instant) }
        case .media(let fact, _):
            record(.media, fact.name, at: instant)
            if case .warning(let text) = fact { history.add(warning: text) }
            if case .recordingFailed(let text) = fact { history.add(recordingFault: text) }
        case .timerFired(let timer): record(.other, "timer \(timer)", at: instant)
        case .yield: record(.received, "invite", at: instant)
        case .signalingLost: record(.other, "signalingLost", at: instant)
        case .signalingRestored: record(.other, "signalingRestored", at: instant)
        case .inviteFailed: record(.other, "inviteFailed", at: instant)
        case .audit: break
        case .place: record(.user, "place", at: instant)
        case .accept: record(.user, "accept", at: instant)
        case .reject: record(.user, "reject", at: instant)
        case .hangUp: record(.user, "hangUp", at: instant)
        case .hold: record(.user, "hold", at: instant)
        case .unhold: record(.user, "unhold", at: instant)
        case .setSending(let audio, let video):
            let parts = [audio.map { "audio \($0.rawValue)" }, video.map { "video \($0.rawValue)" }]
            record(.user, parts.compactMap(\.self).joined(separator: ", "), at: instant)
        case .setSource(let medium): record(.user, "setSource \(medium)", at: instant)
        case .changeMedia: record(.user, "changeMedia", at: instant)
        case .sendInfo: record(.user, "sendInfo", at: instant)
        }
    }

    func record(_ kind: CallRecord.Kind, _ action: String, at instant: ContinuousClock.Instant) {
        let milliseconds = (instant - timeline.start).inMilliseconds
        history.add(CallRecord(milliseconds: milliseconds, kind: kind, action: action))
    }
}

extension SignalingMessage.Body {
    /// The name of the type in the protocol.
    var name: String {
        switch self {
        case .invite: "invite"
        case .ringing: "ringing"
        case .progress: "progress"
        case .accept: "accept"
        case .reject: "reject"
        case .cancel: "cancel"
        case .hangup: "hangup"
        case .candidate: "candidate"
        case .offer: "offer"
        case .answer: "answer"
        case .renegotiate: "renegotiate"
        case .commit: "commit"
        case .rollback: "rollback"
        case .iceRestart: "iceRestart"
        case .state: "state"
        case .info: "info"
        case .query: "query"
        case .skip: "skip"
        case .status: "status"
        case .ack: "ack"
        case .gone: "gone"
        case .error(let fault): "error \(fault.code)"
        }
    }

    /// Whether it only asks what the other end knows, or answers that: every half minute, as long as a call takes.
    var isRoutine: Bool {
        switch self {
        case .query, .status: true
        default: false
        }
    }

    /// Whether the agent's own extension data is sent with it.
    var carriesAgentData: Bool {
        switch self {
        case .invite, .accept, .reject, .hangup: true
        // A cancel that names a winner comes from the rules, not from the user.
        case .cancel(let farewell): farewell.winner == nil
        default: false
        }
    }
}

extension MediaFact {
    /// The name in the history.
    var name: String {
        switch self {
        case .offerCreated: "offerCreated"
        case .answerCreated: "answerCreated"
        case .localCandidate(let candidate): candidate.candidate.isEmpty ? "endOfCandidates" : "candidate"
        case .iceConnected: "iceConnected"
        case .verified: "dtlsConnected"
        case .firstVideoFrame: "firstVideoFrame"
        case .firstAudioSample: "firstAudioSample"
        case .firstVideoShown: "firstVideoShown"
        case .firstAudioHeard: "firstAudioHeard"
        case .interrupted: "interrupted"
        case .resumed: "resumed"
        case .networkChanged: "networkChanged"
        case .pathChecked: "pathChecked"
        case .mediaMissing: "mediaMissing"
        case .pathSilent: "pathSilent"
        case .iceParameters(let parameters): "iceParameters \(parameters.restart)"
        case .pathChanged(let change): "pathChanged \(change.restart)"
        case .gathered(let how): "gathered \(how)"
        case .dtmf(let digit): "dtmf \(digit)"
        case .frameSizeSent(let size): "frameSizeSent \(size.width)x\(size.height)"
        case .frameSizeReceived(let size): "frameSizeReceived \(size.width)x\(size.height)"
        case .videoAdapted(let change): "videoAdapted \(change.to.size.width)x\(change.to.size.height)"
        case .captureFailed(let fault): "captureFailed \(fault.medium) \(fault.cause)"
        case .captureLost(let fault): "captureLost \(fault.medium) \(fault.cause)"
        case .captureRestored(let medium): "captureRestored \(medium)"
        case .trackFailed(let fault): "trackFailed \(fault.medium) \(fault.direction)"
        case .dataChannel: "dataChannel"
        case .warning(let text): "warning \(text)"
        case .recordingFailed(let text): "recordingFailed \(text)"
        case .failed: "failed"
        }
    }
}
