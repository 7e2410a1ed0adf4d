import CallAgent
import CallProtocol

/// Messages of every type, with all fields and with the required fields only.
enum MessageSamples {
    static let bodies: [SignalingMessage.Body] =
        [
            fullInvite, .invite(.init(media: .audioOnly, ringTimeoutMs: 1, sdp: "v=0")), .ringing,
            .progress(sdp: "v=0\r\n", state: .init(audio: .muted, video: .off, isHolding: true)), .progress(sdp: "v=0"),
            .accept(sdp: "v=0", state: .init(video: .muted)), .accept(sdp: nil), .accept(sdp: nil, state: .init()),
            .reject(.init(code: 603, text: "no")), .cancel(.init(code: 200, text: "", winner: "tv")),
            .cancel(.init(code: 9900, text: "")), .hangup(.init(code: 99_999, text: "ä€😀\"\\\n\u{1}/\u{2028}")),
            .candidate(.init(candidate: "candidate:1 1 UDP 2 127.0.0.1 9 typ host", mLine: 15)),
            .candidate(.init(candidate: "", mLine: 0)), .offer(.init(media: .audioVideo, sdp: "v=0\r\n")),
            .answer(sdp: "v=0"), .renegotiate(.audioOnly), .renegotiate(.init(audio: false, video: true)), .commit,
            .iceRestart(.init(restart: 1, fragment: "aB+/", password: String(repeating: "p", count: 22))),
            .rollback, .state(.init()), .state(.init(audio: .off, video: .off, isHolding: true)), .info("hello \u{0}"),
            .skip,
            .info(""), .query, .ack("m0"), .gone, .error(.init(code: 481, text: "no such call", ref: "m0")),
            .error(.init(code: 0, text: "", ref: nil)),
        ] + CallState.allCases.map { .status($0) }

    static let messages = bodies.enumerated().map { index, body in
        var message = SignalingMessage(
            id: "m\(index)", callId: "c-1", from: "alice", to: "bob", generation: index % 3,
            sentUnixMs: 1_700_000_000_000.25, body: body)
        if index % 2 == 0 {
            (message.device, message.toDevice, message.sequence) = ("tv", "phone", index + 1)
            message.epoch = 1_790_000_000_000
            message.extensionData = ["ticket": "7", "note": "ä\n"]
        }
        return message
    }

    private static var fullInvite: SignalingMessage.Body {
        var invite = SignalingMessage.Invite(
            media: .audioVideo, ringTimeoutMs: 600_000, sdp: "v=0\r\n", state: .init(video: .off))
        (invite.room, invite.displayName, invite.address) = ("room-1", "Älice 😀", "alice@example.org")
        return .invite(invite)
    }
}
