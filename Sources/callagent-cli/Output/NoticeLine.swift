internal import CallAgent
internal import Foundation

/// The text for a person about an event of a call or its agent, except changes of state.
enum NoticeLine {
    static func text(_ notice: CallNotice, peer: String) -> String {
        switch notice {
        case .holdChanged(.none): "nobody holds the call any more"
        case .holdChanged(.held): "this end holds the call"
        case .holdChanged(.remotelyHeld): "the peer holds the call"
        case .holdChanged(.both): "both ends hold the call"
        case .peerMediaChanged(let state):
            "the peer's audio is \(state.audio.rawValue), its video \(state.video.rawValue)"
        case .info(let content): "the peer says: \(content.printable)"
        case .videoPending: "connected by audio; the video is late"
        case .mediaChanged(let media): "the call has \(text(media)) now"
        case .mediaChangeFailed(let text): "the change of media failed: \(text.printable)"
        case .networkChangeStarted(.local): "looking for another network path"
        case .networkChangeStarted: "the peer looks for another network path"
        case .networkChangeEnded(let change?):
            "another network path after \(Int(change.durationMs.rounded())) ms: \(text(change.after))"
        case .networkChangeEnded(nil): "the network path stays"
        case .dtmf(let digit): "the peer pressed \(digit)"
        case .videoAdapted(let change): "the video is \(text(change.to)) now; \(text(change.reason))"
        case .captureFailed(let fault): missing(fault)
        case .captureLost(let fault):
            "the \(word(fault.medium)) is lost (\(text(fault))); "
                + "\(fault.medium == .video ? "a test pattern" : "silence") is sent until it is back"
        case .captureRestored(let medium): "the \(word(medium)) is back"
        case .trackFailed(let fault):
            "no \(word(fault.medium)) is \(fault.direction == .sending ? "sent" : "received") any more: "
                + "\(fault.element.printable) failed: \(fault.text.printable); \(fault.remedy)"
        case .mediaWarning(let text): "warning: \(text.printable)"
        case .deviceRings(let device): "\(peer)'s device\(device.map { " '\($0.printable)'" } ?? "") rings"
        case .messageNotDelivered(let type, _, let text): "a message (\(type)) was not delivered: \(text.printable)"
        case .auditUnanswered: "the peer does not answer on signaling; the call continues while its media flows"
        case .signalingLost: "signaling was lost; the call continues"
        case .signalingRestored: "signaling is back"
        }
    }

    private static func word(_ medium: CaptureFault.Medium) -> String { medium == .video ? "video" : "audio" }

    /// The medium that is not sent, and why.
    static func missing(_ fault: CaptureFault) -> String { "no \(word(fault.medium)): \(text(fault))" }

    private static func text(_ fault: CaptureFault) -> String {
        let source = fault.source.map { "\($0.printable), " } ?? ""
        let remedy = fault.remedy.isEmpty ? "" : "; \(fault.remedy)"
        return "\(source)\(fault.cause.rawValue): \(fault.text.printable)\(remedy)"
    }

    private static func text(_ video: VideoChange.Video) -> String {
        "\(video.size.width)x\(video.size.height) at \(Int(video.frameRate.rounded())) frames a second"
    }

    private static func text(_ reason: VideoChange.Reason) -> String {
        switch reason {
        case .bandwidth: "the network takes no more"
        case .cpu: "this machine is too slow for more"
        case .recovery: "more is possible again"
        }
    }

    private static func text(_ path: NetworkPath) -> String {
        "\(path.local.type) \(path.local.address) to \(path.remote.type) \(path.remote.address)"
    }

    static func text(_ media: CallMedia) -> String {
        switch (media.audio, media.video) {
        case (true, true): "audio and video"
        case (true, false): "audio"
        case (false, true): "video"
        case (false, false): "nothing"
        }
    }

    /// Nil for events that a person need not know.
    static func text(_ event: AgentEvent) -> String? {
        switch event {
        case .stateChanged: nil
        case .signalingLost(let text): "signaling was lost: \(text.printable); connecting again"
        case .signalingRestored: "signaling is back"
        case .tokenWillExpire(let milliseconds): "the token expires in \(milliseconds / 1_000) s"
        case .tokenRenewed: "the token was renewed"
        case .tokenNotRenewed(let text): "the token was not renewed: \(text.printable)"
        case .refusedAsBusy(let peer, _): "\(peer) called and was refused: busy"
        case .inviteRefused(let peer, _, let code): "\(peer) called and was refused (\(code))"
        case .messageNotDelivered(let peer, _, let type, _, let text):
            "a message (\(type)) to \(peer) was not delivered: \(text.printable)"
        case .eventsDropped(let count): "\(count) events were dropped; they came too fast"
        case .inviteExpired(let peer, _, let age):
            "\(peer) called \(age / 1_000) s ago and does not ring any more; are both clocks right?"
        }
    }

    /// Seconds since the start of the call.
    static func time(_ ms: Double) -> String { String(format: "%.1f s", ms / 1_000) }
}
