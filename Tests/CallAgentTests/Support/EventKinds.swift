@testable import CallAgent

/// One event of every kind, and of every kind that the rules tell apart.
enum EventKinds {
    static let users: [CallMachine.Event] = [.place, .accept, .decline, .reject(code: -1, text: "?"), .hangUp]

    static let bodies: [SignalingMessage.Body] = [
        .anInvite, .ringing, .progress(sdp: "answer"), .accept(sdp: nil), .accept(sdp: "answer"), .reject(603),
        .reject(486), .cancel(9900), .cancel(487), .hangup(9900), .hangup(408), .hangup(9906), .hangup(99_999),
        .aCandidate, .gone,
        .error(404), .error(480), .error(400),
    ]

    static let media: [CallMachine.Event] = [
        .offerCreated(sdp: "offer"), .answerCreated(sdp: "answer"), .localCandidate(.example), .iceConnected,
        .verified, .firstVideoFrame, .firstAudioSample, .firstVideoShown, .firstAudioHeard, .interrupted, .resumed,
        .mediaFailed(.security(text: "s")), .mediaFailed(.incompatible(text: "i")), .mediaFailed(.other(text: "o")),
    ]

    static let all: [CallMachine.Event] =
        users + bodies.map { .received($0) } + bodies.map { .received($0, generation: 3) }
        + [.sendFailed(text: "down")] + media + CallTimer.allCases.map { .timerFired($0) }
}
