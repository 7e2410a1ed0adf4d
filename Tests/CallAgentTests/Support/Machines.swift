@testable import CallAgent

/// Machines in various states.
extension CallMachine {
    /// A caller that has sent its invite.
    static func calling(_ media: CallMedia = .audioVideo) -> CallMachine {
        CallMachine(role: .caller, media: media).after(.place, .offerCreated(sdp: "offer"))
    }

    /// A caller that received the ringing message.
    static func hearsRinging() -> CallMachine { calling().after(.received(.ringing)) }

    /// A callee that rings and has not created its answer.
    static func ringing(
        _ policy: EarlyMediaPolicy = .guarded, _ media: CallMedia = .audioVideo, device: String? = nil
    ) -> CallMachine {
        let invite = SignalingMessage.Invite(media: media, ringTimeoutMs: 30_000, sdp: "offer")
        return CallMachine(role: .callee, media: media, earlyMedia: policy, device: device)
            .after(.received(.invite(invite)))
    }

    /// Either end, accepted but without a first frame.
    static func connecting(_ role: CallRole, _ media: CallMedia = .audioVideo) -> CallMachine {
        switch role {
        case .caller: calling(media).after(.received(.ringing), .received(.accept(sdp: "answer")))
        case .callee: ringing(.guarded, media).after(.answerCreated(sdp: "answer"), .accept)
        }
    }

    /// Either end, connected.
    static func connected(_ role: CallRole, _ media: CallMedia = .audioVideo) -> CallMachine {
        connecting(role, media).after(
            .iceConnected, .verified, media.video ? .firstVideoFrame : .firstAudioSample)
    }

    /// A caller of a connected audio call that offers video.
    static func offering() -> CallMachine {
        connected(.caller, .audioOnly).after(
            .changeMedia(.audioVideo), .media(.offerCreated(sdp: "offer1"), generation: 1))
    }

    /// The callee that received such an offer.
    static func answering() -> CallMachine {
        connected(.callee, .audioOnly).after(
            .received(.offer(.init(media: .audioVideo, sdp: "offer1")), generation: 1),
            .media(.answerCreated(sdp: "answer1"), generation: 1))
    }

    /// Either end after its commit: it has the other end's video on the new peer connection.
    static func committed(_ role: CallRole) -> CallMachine {
        let start = role == .caller ? offering().after(.received(.answer(sdp: "answer1"), generation: 1)) : answering()
        return start.after(.media(.verified, generation: 1), .media(.firstVideoFrame, generation: 1))
    }

    /// A caller that yielded to its peer's call and has not created its answer.
    static func yielding() -> CallMachine { calling().after(.yield(to: .example, device: nil)) }

    /// The effects that `event` would have.
    func effects(of event: Event) -> [Effect] {
        var copy = self
        return copy.handle(event)
    }

    /// This machine after `events`; their effects are dropped.
    func after(_ events: Event...) -> CallMachine { after(events) }

    /// This machine after `events`; their effects are dropped.
    func after(_ events: [Event]) -> CallMachine {
        var copy = self
        for event in events { _ = copy.handle(event) }
        return copy
    }
}

extension CallRole {
    static let both: [CallRole] = [.caller, .callee]

    /// The other end.
    var other: CallRole { self == .caller ? .callee : .caller }
}
