@testable import CallAgent

/// One event of every kind that the rules distinguish.
enum EventKinds {
    static let users: [CallMachine.Event] = [.place, .accept, .decline, .reject(code: -1, text: "?"), .hangUp]

    static let bodies: [SignalingMessage.Body] = [
        .anInvite, .ringing, .progress(sdp: "answer"), .accept(sdp: nil), .accept(sdp: "answer"), .reject(603),
        .reject(486), .cancel(9900), .cancel(487), .hangup(9900), .hangup(408), .hangup(9906), .hangup(99_999),
        .aCandidate, .iceRestart(.example), .gone,
        .error(404), .error(480), .error(400),
    ]

    static let media: [CallMachine.Event] = [
        .offerCreated(sdp: "offer"), .answerCreated(sdp: "answer"), .localCandidate(.example), .iceConnected,
        .verified, .firstVideoFrame, .firstAudioSample, .firstVideoShown, .firstAudioHeard, .interrupted, .resumed,
        .media(.gathered("all"), generation: 0), .media(.dtmf(digit: "5"), generation: 0),
        .media(.warning("no device"), generation: 0), .media(.recordingFailed("full disk"), generation: 0),
        .media(.captureFailed(.unplugged), generation: 0),
        .media(.videoAdapted(.example), generation: 0),
        .media(.captureLost(.unplugged), generation: 0), .media(.captureRestored(.video), generation: 0),
        .media(.trackFailed(.encoder), generation: 0), .media(.trackFailed(.decoder), generation: 0),
        .media(.frameSizeSent(.init(width: 4, height: 2)), generation: 0),
        .media(.frameSizeReceived(.init(width: 4, height: 2)), generation: 0),
        .media(.networkChanged, generation: 0), .media(.mediaMissing, generation: 0),
        .media(.pathSilent, generation: 0),
        .media(.iceParameters(.example), generation: 0), .media(.pathChanged(.example), generation: 0),
        .mediaFailed(.security(text: "s")), .mediaFailed(.incompatible(text: "i")), .mediaFailed(.other(text: "o")),
    ]

    /// The events of a call between two devices that never changes its media.
    static let plain: [CallMachine.Event] =
        users + bodies.map { .received($0) } + bodies.map { .received($0, generation: 3) }
        + [.inviteFailed(text: "down"), .signalingLost, .signalingRestored, .audit, .yield(to: .example, device: nil)]
        + media
        + CallTimer.allCases.map { .timerFired($0) }

    /// Hold, and changes of what this end and the peer send.
    static let sending: [CallMachine.Event] = [
        .hold, .unhold, .setSending(audio: .muted, video: .off), .setSending(audio: .on, video: .on),
        .setSource(.video),
        .sendInfo("x"), .received(.info("y")), .received(.state(.init(video: .off))), .received(.state(.init())),
        .received(.state(.init(isHolding: true))), .received(.query), .received(.status(.connected)),
        .received(.error(481)),
    ]

    /// Events of a second and a third peer connection.
    static let changing: [CallMachine.Event] =
        changes
        + [1, 2].flatMap { generation in
            changeBodies.map { CallMachine.Event.received($0, generation: generation) }
                + media.compactMap { $0.inGeneration(generation) }
        }

    /// Of those, the events that begin, advance or end a change.
    ///
    /// The random sequences cover the rest.
    static func moving(generations: ClosedRange<Int>) -> [CallMachine.Event] {
        changes
            + generations.flatMap { generation in
                changeBodies.map { CallMachine.Event.received($0, generation: generation) }
                    + mediaOfChange.compactMap { $0.inGeneration(generation) }
            }
    }

    private static let changes: [CallMachine.Event] = [
        .changeMedia(.audioVideo), .changeMedia(.audioOnly), .received(.renegotiate(.audioOnly)),
        .received(.renegotiate(.audioVideo)),
    ]

    /// Events that take the audio out of a call, so that it can be added.
    static let withoutAudio: [CallMachine.Event] =
        [.changeMedia(.videoOnly), .received(.renegotiate(.videoOnly))]
        + [1, 2].map { .received(.offer(.init(media: .videoOnly, sdp: "offer")), generation: $0) }

    private static let mediaOfChange: [CallMachine.Event] = [
        .offerCreated(sdp: "offer"), .answerCreated(sdp: "answer"), .localCandidate(.example), .verified,
        .firstVideoFrame, .firstAudioSample, .mediaFailed(.other(text: "o")),
    ]

    private static let changeBodies: [SignalingMessage.Body] = [
        .offer(.init(media: .audioOnly, sdp: "offer")), .offer(.init(media: .audioVideo, sdp: "offer")),
        .answer(sdp: "answer"), .commit, .rollback,
    ]

    /// Events of several devices of the peer.
    static let devices: [CallMachine.Event] =
        deviceBodies.map { CallMachine.Event.received($0, device: "d1") }
        + deviceBodies.map { CallMachine.Event.received($0, device: "d2") }

    private static let deviceBodies: [SignalingMessage.Body] = [
        .ringing, .progress(sdp: "answer"), .accept(sdp: nil), .accept(sdp: "answer"), .reject(603), .reject(486),
        .cancel(.init(code: 200, text: "", winner: "d1")), .cancel(.init(code: 200, text: "", winner: "d2")),
        .cancel(.init(code: 603, text: "", winner: "d2")), .hangup(9900), .aCandidate, .gone, .error(481),
    ]

    static let all = plain + sending + changing + devices
}

extension CallMachine.Event {
    /// The same event of another peer connection; nil if it is not a media event.
    func inGeneration(_ generation: Int) -> Self? {
        if case .media(let fact, _) = self { .media(fact, generation: generation) } else { nil }
    }

    var isYield: Bool { if case .yield = self { true } else { false } }
}

extension SignalingMessage.IceParameters {
    static let example = Self(restart: 1, fragment: "frag", password: "pppppppppppppppppppppp")
}

extension NetworkPathChange {
    static let example = Self(
        restart: 1, durationMs: 50, before: nil,
        after: NetworkPath(
            local: .init(type: "host", address: "192.0.2.1", port: 9),
            remote: .init(type: "srflx", address: "192.0.2.2", port: 9)))
}

extension VideoChange {
    static let example = Self(
        from: Video(size: FrameSize(width: 8, height: 4), frameRate: 30),
        to: Video(size: FrameSize(width: 4, height: 2), frameRate: 30), reason: .bandwidth)
}

extension CaptureFault {
    static let unplugged = Self(
        medium: .video, source: "v4l2:/dev/video0", cause: .lost, text: "gone", remedy: "plug it in")
}

extension TrackFault {
    static let encoder = Self(
        medium: .video, direction: .sending, element: "GstVP8Enc:encoder", text: "no memory", remedy: "use another")
    static let decoder = Self(
        medium: .video, direction: .receiving, element: "GstVP8Dec:decoder", text: "no memory", remedy: "use another")
}

extension SignalingMessage.Invite {
    static let example = Self(media: .audioVideo, ringTimeoutMs: 30_000, sdp: "offer")
}
