@testable import CallAgent

/// What may happen to a call, by chance: the same for the agent's rules and for the page's, in the words of each.
struct RandomCall {
    /// One thing that happens.
    struct Step {
        let event: CallMachine.Event
        /// The same for `Rules.handle` of rules.js.
        let script: [String: Any]
    }

    private var chance: Chance

    init(seed: UInt64) { chance = Chance(state: seed) }

    mutating func role() -> CallRole { chance.pick([.caller, .callee]) }
    mutating func media() -> CallMedia {
        chance.pick([.audioVideo, .audioVideo, CallMedia(audio: true, video: false)])
    }
    mutating func policy() -> EarlyMediaPolicy { chance.pick([.guarded, .full, .off]) }

    /// A whole call: mostly one that is connected and gets other media, with something else thrown in here and there.
    mutating func steps(_ role: CallRole, _ media: CallMedia) -> [Step] {
        var steps: [Step] = []
        for next in (chance.below(8) == 0 ? [] : connecting(role) + changing(role, media)) {
            while chance.below(6) == 0 { steps.append(step()) }
            // Something may be missing, too.
            if chance.below(30) > 0 { steps.append(next) }
        }
        for _ in 0..<25 { steps.append(step()) }
        return steps
    }

    private mutating func connecting(_ role: CallRole) -> [Step] {
        let invite = SignalingMessage.Invite(media: .audioVideo, ringTimeoutMs: 20_000, sdp: "offer")
        let media = [Self.fact(.verified, 0), Self.fact(.firstAudioSample, 0), Self.fact(.firstVideoFrame, 0)]
        guard role == .caller else {
            let answer = Self.fact(.answerCreated(sdp: "answer"), 0)
            return [Self.message(.invite(invite), 0), answer, Self.accept, answer] + media
        }
        if chance.below(6) == 0 {
            // The peer calls, too.
            return [Self.place, Self.fact(.offerCreated(sdp: "offer"), 0), Self.yield]
                + [Self.fact(.answerCreated(sdp: "answer"), 0)] + media
        }
        let progress = Self.message(.progress(sdp: "answer"), 0)
        return [Self.place, Self.fact(.offerCreated(sdp: "offer"), 0), Self.message(.ringing, 0)]
            + (chance.below(2) == 0 ? [progress] : []) + [Self.message(.accept(sdp: "answer"), 0)] + media
    }

    private mutating func changing(_ role: CallRole, _ media: CallMedia) -> [Step] {
        let other = media.video ? CallMedia(audio: true, video: false) : .audioVideo
        let answer = Self.message(.answer(sdp: "answer"), 1)
        let mine = Step(event: .changeMedia(other), script: ["type": "changeMedia", "media": Self.json(other)])
        let isAskedFor = chance.below(2) == 0
        let begin: [Step] =
            switch (role, isAskedFor) {
            case (.caller, true):
                [Self.message(.renegotiate(other), 0), Self.fact(.offerCreated(sdp: "offer"), 1), answer]
            case (.caller, false): [mine, Self.fact(.offerCreated(sdp: "offer"), 1), answer]
            case (.callee, _):
                (isAskedFor ? [mine] : [])
                    + [
                        Self.message(.offer(.init(media: other, sdp: "offer")), 1),
                        Self.fact(.answerCreated(sdp: "answer"), 1),
                    ]
            }
        let end = [Self.fact(.firstAudioSample, 1), Self.fact(.firstVideoFrame, 1), Self.message(.commit, 1)]
        return begin + [Self.fact(.verified, 1)] + (chance.below(2) == 0 ? end : end.reversed())
    }

    private static var yield: Step {
        let invite = SignalingMessage.Invite(media: .audioVideo, ringTimeoutMs: 20_000, sdp: "offer")
        var message = Trace.fields(of: .invite(invite))
        message["device"] = "A"
        return Step(event: .yield(to: invite, device: "A"), script: ["type": "yield", "message": message])
    }

    private static var place: Step { Step(event: .place, script: ["type": "place"]) }
    private static var accept: Step { Step(event: .accept, script: ["type": "accept"]) }

    /// What comes next.
    private mutating func step() -> Step {
        switch chance.below(10) {
        case 0: user()
        case 1...4: message()
        case 5...8: fact()
        default: chance.below(2) == 0 ? timer() : surroundings()
        }
    }

    private mutating func user() -> Step {
        let state = mediaState()
        let media = media()
        return chance.pick([
            Step(event: .place, script: ["type": "place"]), Step(event: .accept, script: ["type": "accept"]),
            Step(event: .accept, script: ["type": "accept"]), Step(event: .hold, script: ["type": "hold"]),
            Step(event: .unhold, script: ["type": "unhold"]),
            Step(
                event: .setSending(audio: state.audio, video: state.video),
                script: ["type": "setSending", "audio": state.audio.rawValue, "video": state.video.rawValue]),
            Step(event: .changeMedia(media), script: ["type": "changeMedia", "media": Self.json(media)]),
            Step(event: .sendInfo("hello"), script: ["type": "sendInfo", "content": "hello"]),
            Step(event: .place, script: ["type": "place"]),
            chance.below(4) > 0
                ? Step(event: .unhold, script: ["type": "unhold"])
                : Step(event: .hangUp(text: "bye"), script: ["type": "hangUp", "text": "bye"]),
            chance.below(4) > 0
                ? Step(event: .accept, script: ["type": "accept"])
                : Step(event: .reject(code: 486, text: ""), script: ["type": "reject", "code": 486, "text": ""]),
        ])
    }

    private mutating func message() -> Step {
        let (state, media) = (mediaState(), media())
        let code = chance.pick([200, 408, 480, 481, 486, 487, 488, 603, 9900, 9906, 12])
        let winner: String? = chance.pick([nil, "A", "mine"])
        let farewell = SignalingMessage.Farewell(code: code, text: "", winner: winner)
        let invite = SignalingMessage.Invite(
            media: media, ringTimeoutMs: 20_000, sdp: "offer", state: chance.pick([nil, state]))
        var bodies: [SignalingMessage.Body] = [
            .invite(invite), .invite(invite), .ringing, .ringing, .progress(sdp: "answer", state: nil),
            .progress(sdp: "answer", state: state), .accept(sdp: "answer", state: state), .accept(sdp: nil),
            .candidate(.init(candidate: "candidate:1", mLine: 0)), .offer(.init(media: media, sdp: "offer")),
            .answer(sdp: "answer"), .renegotiate(media), .commit, .commit, .rollback, .state(state),
            .state(MediaState()),
            .info("hello"), .query, .status(.connected),
        ]
        // What may end the call is rare, or no call would get far.
        if chance.below(5) == 0 {
            bodies = [
                .reject(farewell), .cancel(farewell), .hangup(farewell), .gone,
                .error(.init(code: chance.pick([480, 481, 404, 400]), text: "", ref: chance.pick([nil, "a1", "a7"]))),
            ]
        }
        let body = chance.pick(bodies)
        let generation = chance.pick([0, 0, 0, 1, 1, 2])
        let device: String? = chance.pick(["A", "A", "A", "B", nil])
        return Self.message(body, generation, device: device)
    }

    private static func message(_ body: SignalingMessage.Body, _ generation: Int, device: String? = "A") -> Step {
        var message = Trace.fields(of: body)
        message["generation"] = generation
        message["device"] = device
        return Step(
            event: .received(body, generation: generation, device: device),
            script: ["type": "received", "message": message])
    }

    private mutating func fact() -> Step {
        let facts: [MediaFact] = [
            .offerCreated(sdp: "offer"), .answerCreated(sdp: "answer"), .verified, .firstVideoFrame, .firstAudioSample,
            .localCandidate(.init(candidate: "candidate:2", mLine: 1)), .interrupted, .resumed, .iceConnected,
            .captureFailed(.init(medium: chance.pick([.audio, .video]), cause: .busy, text: "busy")),
        ]
        return Self.fact(chance.pick(facts), chance.pick([0, 0, 0, 1, 1, 2]))
    }

    private static func fact(_ fact: MediaFact, _ generation: Int) -> Step {
        let name = String("\(fact)".prefix { $0.isLetter })
        let script: [String: Any] =
            switch fact {
            case .offerCreated(let sdp), .answerCreated(let sdp): ["type": name, "sdp": sdp]
            case .localCandidate(let one): ["type": name, "candidate": one.candidate, "mLine": one.mLine]
            case .captureFailed(let fault): ["type": name, "medium": fault.medium.rawValue, "text": fault.text]
            default: ["type": name]
            }
        return Step(
            event: .media(fact, generation: generation),
            script: ["type": "media", "fact": script, "generation": generation])
    }

    private mutating func timer() -> Step {
        let timer = chance.pick(CallTimer.allCases.filter { $0 != .ring })
        return Step(event: .timerFired(timer), script: ["type": "timer", "timer": "\(timer)"])
    }

    private mutating func surroundings() -> Step {
        return chance.pick([
            Step(event: .audit, script: ["type": "audit"]),
            Step(event: .signalingLost, script: ["type": "signalingLost"]),
            Step(event: .signalingRestored, script: ["type": "signalingRestored"]),
            chance.below(4) > 0
                ? Step(event: .audit, script: ["type": "audit"])
                : Self.yield,
        ])
    }

    private mutating func mediaState() -> MediaState {
        MediaState(
            audio: chance.pick([.on, .on, .muted, .off]), video: chance.pick([.on, .on, .muted, .off]),
            isHolding: chance.below(4) == 0)
    }

    private static func json(_ media: CallMedia) -> [String: Any] { ["audio": media.audio, "video": media.video] }
}
