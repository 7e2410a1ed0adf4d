import CallAgent
import CallProtocol
import Testing

struct SignalingMessageTests {
    static let bodies: [SignalingMessage.Body] = [
        .invite(.init(media: .audioVideo, ringTimeoutMs: 30_000, sdp: "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\n")),
        .invite(.init(media: .audioOnly, ringTimeoutMs: 1, sdp: "v=0")), .ringing, .progress(sdp: "v=0\r\n"),
        .accept(sdp: "v=0"), .accept(sdp: nil), .reject(.init(code: 603, text: "declined")),
        .cancel(.init(code: 9900, text: "")), .hangup(.init(code: 0, text: "ä€😀\"\\\n\u{1}/")),
        .candidate(.init(candidate: "candidate:1 1 UDP 2 127.0.0.1 9 typ host", mLine: 1)),
        .candidate(.init(candidate: "", mLine: 0)), .gone, .error(.init(code: 404, text: "unknown", ref: "m0")),
        .error(.init(code: 400, text: "", ref: nil)),
    ]

    @Test(arguments: bodies)
    func everyKindComesBackFromJSONAsItWas(body: SignalingMessage.Body) throws {
        let message = SignalingMessage(
            id: "m1", callId: "c1", from: "alice", to: "bob", generation: 3, sentUnixMs: 1_700_000_000_000.5, body: body
        )
        #expect(try SignalingMessage(decoding: message.encoded()) == message)
        #expect(try !message.encoded().contains("\n"))
    }

    @Test func theServersOwnErrorNeedsNoSenderAndNothingElseDoes() throws {
        let error = message(.error(.init(code: 404, text: "", ref: nil)), from: "", to: "bob")
        #expect(try SignalingMessage(decoding: error.encoded()) == error)
        #expect(try !error.encoded().contains("from"))
        #expect(throws: MalformedMessage.self) { try message(.gone, from: "", to: "bob").encoded() }
    }

    @Test func absentFieldsHaveTheirDefaults() throws {
        let invite = try SignalingMessage(
            decoding: callMessage(
                "invite", from: "a", to: "b", extra: #","media":{"audio":true,"video":false},"sdp":"v=0""#))
        #expect(invite.generation == 0)
        #expect(invite.sentUnixMs == 0)
        #expect(invite.body == .invite(.init(media: .audioOnly, ringTimeoutMs: 30_000, sdp: "v=0")))
    }

    @Test func unknownFieldsAreIgnored() throws {
        let text = callMessage(from: "a", to: "b", extra: #","new":{"x":[1]},"other":null"#)
        #expect(try SignalingMessage(decoding: text).body == .ringing)
    }

    @Test(
        arguments: [
            (#"{"v":2,"type":"ringing","id":"m1","callId":"c1","from":"a","to":"b"}"#, 426, "m1"),
            (#"{"v":1,"type":"new","id":"m1","callId":"c1","from":"a","to":"b"}"#, 426, "m1"),
            (#"{"v":1,"type":"invite","id":"m1","callId":"c1","from":"a","to":"b"}"#, 400, "m1"),
            (#"{"v":1,"type":"ringing","id":"m 1","callId":"c1","from":"a","to":"b"}"#, 400, nil),
            (#"{"v":1,"type":"ringing","id":"m1","callId":"","from":"a","to":"b"}"#, 400, "m1"),
            (#"{"v":1,"type":"ringing","id":"m1","callId":"c1","from":"a"}"#, 400, "m1"),
            (#"{"v":1,"type":7}"#, 426, nil), ("[]", 400, nil), ("", 400, nil),
        ] as [(String, Int, String?)])
    func whatIsMalformedIsToldWithItsCodeAndItsId(text: String, code: Int, ref: String?) {
        #expect {
            try SignalingMessage(decoding: text)
        } throws: { error in
            let error = error as? MalformedMessage
            return error?.code == code && error?.ref == ref
        }
    }

    // MARK: Limits

    /// A message at a limit, and the same message one step beyond it.
    struct Bound: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var within: SignalingMessage.Body
        var beyond: SignalingMessage.Body
    }

    static let bounds = [
        Bound(testDescription: "sdp", within: .progress(sdp: text(32_768)), beyond: .progress(sdp: text(32_769))),
        Bound(testDescription: "empty sdp", within: .accept(sdp: nil), beyond: .accept(sdp: "")),
        Bound(
            testDescription: "sdp of an invite", within: invite(sdp: text(32_768)), beyond: invite(sdp: text(32_769))),
        Bound(testDescription: "shortest ring timeout", within: invite(ring: 1), beyond: invite(ring: 0)),
        Bound(testDescription: "longest ring timeout", within: invite(ring: 600_000), beyond: invite(ring: 600_001)),
        Bound(
            testDescription: "media", within: invite(media: .audioOnly),
            beyond: invite(media: .init(audio: false, video: false))),
        Bound(
            testDescription: "text", within: .reject(.init(code: 0, text: text(256))),
            beyond: .reject(.init(code: 0, text: text(257)))),
        Bound(
            testDescription: "text in bytes, not characters",
            within: .hangup(.init(code: 0, text: String(repeating: "ä", count: 128))),
            beyond: .hangup(.init(code: 0, text: String(repeating: "ä", count: 129)))),
        Bound(
            testDescription: "code", within: .cancel(.init(code: 99_999, text: "")),
            beyond: .cancel(.init(code: 100_000, text: ""))),
        Bound(
            testDescription: "negative code", within: .error(.init(code: 0, text: "", ref: nil)),
            beyond: .error(.init(code: -1, text: "", ref: nil))),
        Bound(
            testDescription: "ref", within: .error(.init(code: 0, text: "", ref: text(64))),
            beyond: .error(.init(code: 0, text: "", ref: text(65)))),
        Bound(
            testDescription: "candidate", within: .candidate(.init(candidate: text(512), mLine: 0)),
            beyond: .candidate(.init(candidate: text(513), mLine: 0))),
        Bound(
            testDescription: "m-line", within: .candidate(.init(candidate: "", mLine: 15)),
            beyond: .candidate(.init(candidate: "", mLine: 16))),
        Bound(
            testDescription: "negative m-line", within: .candidate(.init(candidate: "", mLine: 0)),
            beyond: .candidate(.init(candidate: "", mLine: -1))),
    ]

    @Test(arguments: bounds)
    func whatIsBeyondABoundIsRefusedAndNeverCut(bound: Bound) throws {
        let within = message(bound.within, from: "alice", to: "bob")
        #expect(try SignalingMessage(decoding: within.encoded()) == within)
        #expect(throws: MalformedMessage.self) { try message(bound.beyond, from: "alice", to: "bob").encoded() }
    }

    @Test func theNumbersOfEveryMessageHaveBounds() throws {
        var message = message(from: "alice", to: "bob")
        for (generation, isValid) in [(-1, false), (0, true), (10_000, true), (10_001, false)] {
            message.generation = generation
            #expect(((try? message.encoded()) != nil) == isValid)
        }
        message.generation = 0
        for (time, isValid) in [(0.0, true), (-1, false), (.infinity, false), (.nan, false)] as [(Double, Bool)] {
            message.sentUnixMs = time
            #expect(((try? message.encoded()) != nil) == isValid)
        }
    }

    @Test func aMessageOf65536BytesIsReadAndALongerOneIsNot() throws {
        let empty = callMessage(from: "a", to: "b", extra: #","x":"""#).utf8.count
        let text = callMessage(from: "a", to: "b", extra: #","x":"\#(Self.text(65_536 - empty))""#)
        #expect(text.utf8.count == 65_536)
        #expect(try SignalingMessage(decoding: text).body == .ringing)
        #expect(throws: MalformedMessage(code: 413, text: "longer than 65536 bytes", ref: nil)) {
            try SignalingMessage(decoding: text + " ")
        }
    }

    @Test func aMessageThatGrowsBeyondTheLimitInJSONIsNotSent() {
        // Each of these characters becomes six bytes.
        let sdp = String(repeating: "\u{1}", count: 32_768)
        #expect {
            try message(.progress(sdp: sdp), from: "alice", to: "bob").encoded()
        } throws: { error in
            let error = error as? MalformedMessage
            return error?.code == 413 && error?.ref == "m1"
        }
    }

    @Test func aTextForPeopleIsCutBetweenCharacters() {
        #expect(SignalingLimits.bounded(Self.text(256)) == Self.text(256))
        #expect(SignalingLimits.bounded(Self.text(257)) == Self.text(256))
        #expect(SignalingLimits.bounded("a" + String(repeating: "ä", count: 200)).utf8.count == 255)
        #expect(SignalingLimits.bounded(String(repeating: "👨‍👩‍👧", count: 20)).utf8.count == 252)
        #expect(SignalingLimits.bounded("e" + String(repeating: "\u{301}", count: 300)).isEmpty)
    }

    private static func text(_ length: Int) -> String { String(repeating: "t", count: length) }

    private static func invite(
        media: CallMedia = .audioVideo, ring: Int = 30_000, sdp: String = "v=0"
    ) -> SignalingMessage.Body {
        .invite(.init(media: media, ringTimeoutMs: ring, sdp: sdp))
    }
}
