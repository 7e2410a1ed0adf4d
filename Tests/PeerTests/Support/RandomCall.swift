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

    /// What comes next; mostly what belongs to a call that goes well.
    mutating func step() -> Step {
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
            Step(event: .changeMedia(media), script: ["type": "changeMedia", "media": json(media)]),
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
        var message = Self.fields(of: body)
        message["generation"] = generation
        message["device"] = device
        return Step(
            event: .received(body, generation: generation, device: device),
            script: ["type": "received", "message": message])
    }

    private mutating func fact() -> Step {
        let facts: [(MediaFact, [String: Any])] = [
            (.offerCreated(sdp: "offer"), ["type": "offerCreated", "sdp": "offer"]),
            (.answerCreated(sdp: "answer"), ["type": "answerCreated", "sdp": "answer"]),
            (
                .localCandidate(.init(candidate: "candidate:2", mLine: 1)),
                ["type": "localCandidate", "candidate": "candidate:2", "mLine": 1]
            ),
            (.verified, ["type": "verified"]), (.firstVideoFrame, ["type": "firstVideoFrame"]),
            (.firstAudioSample, ["type": "firstAudioSample"]), (.interrupted, ["type": "interrupted"]),
            (.resumed, ["type": "resumed"]), (.iceConnected, ["type": "iceConnected"]),
        ]
        let (fact, script) = chance.pick(facts)
        let generation = chance.pick([0, 0, 0, 1, 1, 2])
        return Step(
            event: .media(fact, generation: generation),
            script: ["type": "media", "fact": script, "generation": generation])
    }

    private mutating func timer() -> Step {
        let timer = chance.pick(CallTimer.allCases.filter { $0 != .ring })
        return Step(event: .timerFired(timer), script: ["type": "timer", "timer": "\(timer)"])
    }

    private mutating func surroundings() -> Step {
        let invite = SignalingMessage.Invite(media: .audioVideo, ringTimeoutMs: 20_000, sdp: "offer")
        var message = Self.fields(of: .invite(invite))
        message["device"] = "A"
        return chance.pick([
            Step(event: .audit, script: ["type": "audit"]),
            Step(event: .signalingLost, script: ["type": "signalingLost"]),
            Step(event: .signalingRestored, script: ["type": "signalingRestored"]),
            chance.below(4) > 0
                ? Step(event: .audit, script: ["type": "audit"])
                : Step(event: .yield(to: invite, device: "A"), script: ["type": "yield", "message": message]),
        ])
    }

    private mutating func mediaState() -> MediaState {
        MediaState(
            audio: chance.pick([.on, .on, .muted, .off]), video: chance.pick([.on, .on, .muted, .off]),
            isHolding: chance.below(4) == 0)
    }

    private func json(_ media: CallMedia) -> [String: Any] { ["audio": media.audio, "video": media.video] }

    private static func fields(of body: SignalingMessage.Body) -> [String: Any] { Trace.fields(of: body) }
}

/// Chance that can be had again (SplitMix64).
private struct Chance {
    var state: UInt64

    mutating func below(_ count: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) % UInt64(count))
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
