@testable import CallAgent

/// Machines that have come some way.
extension CallMachine {
    /// A caller whose invite is on its way.
    static func calling(_ media: CallMedia = .audioVideo) -> CallMachine {
        CallMachine(role: .caller, media: media).after(.place, .offerCreated(sdp: "offer"))
    }

    /// A caller who heard that it rings at the callee.
    static func hearsRinging() -> CallMachine { calling().after(.received(.ringing)) }

    /// A callee whose device rings, before its answer is made.
    static func ringing(
        _ policy: EarlyMediaPolicy = .guarded, _ media: CallMedia = .audioVideo, device: String? = nil
    ) -> CallMachine {
        let invite = SignalingMessage.Invite(media: media, ringTimeoutMs: 30_000, sdp: "offer")
        return CallMachine(role: .callee, media: media, earlyMedia: policy, device: device)
            .after(.received(.invite(invite)))
    }

    /// Either end, accepted but without any frame.
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

    /// A caller of a connected call of sound that offers pictures.
    static func offering() -> CallMachine {
        connected(.caller, .audioOnly).after(
            .changeMedia(.audioVideo), .media(.offerCreated(sdp: "offer1"), generation: 1))
    }

    /// The callee that such an offer came to.
    static func answering() -> CallMachine {
        connected(.callee, .audioOnly).after(
            .received(.offer(.init(media: .audioVideo, sdp: "offer1")), generation: 1),
            .media(.answerCreated(sdp: "answer1"), generation: 1))
    }

    /// Either end, that has said that it has the other's pictures on the new peer connection.
    static func committed(_ role: CallRole) -> CallMachine {
        let start = role == .caller ? offering().after(.received(.answer(sdp: "answer1"), generation: 1)) : answering()
        return start.after(.media(.verified, generation: 1), .media(.firstVideoFrame, generation: 1))
    }

    /// A caller that became the callee of its peer's own call, before its answer is made.
    static func yielding() -> CallMachine { calling().after(.yield(to: .example, device: nil)) }

    /// What it would say to `event`.
    func effects(of event: Event) -> [Effect] {
        var copy = self
        return copy.handle(event)
    }

    /// This machine after `events`, whatever it said to them.
    func after(_ events: Event...) -> CallMachine {
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
