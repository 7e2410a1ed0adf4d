internal import CallProtocol

/// Actions of this end's user.
extension CallMachine {
    mutating func handleUser(_ event: Event) -> [Effect] {
        if let refusal = refusal(of: event) { return [.ignored(refusal)] }
        switch event {
        case .place:
            current.isBuilt = true
            return [.createOffer(media)] + start(.ring) + enter(.calling, .placed, by: .local)
        case .accept: return acceptLocally()
        case .reject(let code, let text):
            // With a code that no message can carry, the caller would keep ringing.
            return finish(
                .localRejected, code: SignalingLimits.codes.contains(code) ? code : nil, text: text, by: .local)
        case .hangUp(let text): return hangUp(text)
        case .hold: return setHolding(true)
        case .unhold: return setHolding(false)
        case .setSending(let audio, let video):
            (own.audio, own.video) = (audio ?? own.audio, video ?? own.video)
            return report(lackOf: .audio, for: audio) + report(lackOf: .video, for: video)
        case .setSource(let medium):
            sourceless.remove(medium)
            return []
        case .changeMedia(let media): return changeMedia(media)
        case .sendInfo(let content): return [send(.info(content))]
        default: return []
        }
    }

    /// The user wants to send what has no source.
    private func report(lackOf medium: CaptureFault.Medium, for sending: MediaState.Sending?) -> [Effect] {
        let isInCall = medium == .audio ? media.audio : media.video
        guard sending == .on, isInCall, sourceless.contains(medium) else { return [] }
        let fault = CaptureFault(
            medium: medium, cause: .notFound, text: "this end has no \(medium) source", remedy: "choose a source first")
        return [.notify(.captureFailed(fault))]
    }

    /// Why an operation of the user is not possible now; nil when it is possible.
    ///
    /// Hanging up is always possible.
    public func refusal(of operation: Event) -> String? {
        let isPossible: Bool =
            switch operation {
            case .place: role == .caller && phase == .idle
            case .accept, .reject: role == .callee && phase == .ringing
            case .hold: isStable && !own.isHolding
            case .unhold: own.isHolding
            case .changeMedia(let media): isStable && hold == .none && media != current.media
            case .sendInfo: isInviteSent || role == .callee && phase != .idle
            default: true
            }
        return isPossible ? nil : "\(operation) does not apply to a \(role) in \(stateText)"
    }

    /// Whether DTMF digits may be sent now: while it rings at the caller, and in an accepted call that nobody holds.
    ///
    /// Like all media, a callee's digits wait for its accept, unless its policy allows media before it.
    var maySendKeys: Bool {
        switch phase {
        case .idle, .calling, .ended: false
        case .ringing: (role == .caller || earlyMedia == .full) && hold == .none
        case .accepted: hold == .none
        }
    }

    /// Connected, and no change is in progress that another operation would disturb.
    private var isStable: Bool { hasFirstFrame && next == nil && !isAskingForMedia }

    /// The state, the hold and a change in progress, as a text for display.
    var stateText: String {
        let change = next == nil && !isAskingForMedia ? "" : ", while its media change"
        return state.rawValue + (hold == .none ? "" : ", \(hold.rawValue)") + change
    }

    private mutating func hangUp(_ text: String) -> [Effect] {
        switch (role, phase) {
        // The caller got no accept, so for both ends this is a refusal.
        case (.callee, .accepted) where isAcceptPending: finish(.localRejected, text: text, by: .local)
        case (_, .accepted): finish(.localHangup, text: text, by: .local)
        case (.caller, _): finish(.localCancelled, text: text, by: .local)
        case (.callee, _): finish(.localRejected, text: text, by: .local)
        }
    }

    private mutating func acceptLocally() -> [Effect] {
        var effects: [Effect] = []
        if let offer = current.pendingOffer.take() {
            current.isBuilt = true
            effects.append(.createAnswer(offer: offer, media))
        } else if current.isAnswered {
            effects.append(send(.accept(sdp: nil, state: stateForAccept())))
        }
        // Otherwise the answer is still being made and is sent with the accept.
        return effects + enterAccepted(by: .local)
    }

    private mutating func setHolding(_ isHolding: Bool) -> [Effect] {
        own.isHolding = isHolding
        return [.notify(.holdChanged(hold))]
    }
}
