import CallAgent
import CallProtocol
import Foundation
import Testing

/// Every message type, its fields and their limits.
struct MessageTypeTests {
    @Test("Every message is equal after encoding and decoding, with all its fields", arguments: MessageSamples.messages)
    func roundTrip(message: SignalingMessage) throws {
        let text = try message.encoded()
        #expect(try SignalingMessage(decoding: text) == message)
        #expect(text.utf8.allSatisfy { $0 >= 0x20 }, "one line")
        #expect(try SignalingMessage(decoding: text).encoded().utf8.count == text.utf8.count)
    }

    @Test("The samples have every type")
    func everyType() throws {
        let types = try MessageSamples.messages.map { try Self.type(of: $0) }
        #expect(
            Set(types) == [
                "invite", "ringing", "progress", "accept", "reject", "cancel", "hangup", "candidate", "offer", "answer",
                "renegotiate", "commit", "rollback", "iceRestart", "state", "info", "query", "status", "skip", "ack",
                "gone",
                "error",
            ])
    }

    /// A message at a limit, and the same message one step beyond it.
    struct Bound: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var within: SignalingMessage
        var beyond: SignalingMessage

        init(_ name: String, _ within: SignalingMessage.Body, _ beyond: SignalingMessage.Body) {
            testDescription = name
            self.within = message(within, from: "alice", to: "bob")
            self.beyond = message(beyond, from: "alice", to: "bob")
        }

        init(_ name: String, _ change: (inout SignalingMessage, Bool) -> Void) {
            self.init(name, .ringing, .ringing)
            change(&within, false)
            change(&beyond, true)
        }
    }

    static let bounds = [
        Bound(
            "sdp of an offer", .offer(.init(media: .audioOnly, sdp: t(32_768))),
            .offer(.init(media: .audioOnly, sdp: t(32_769)))),
        Bound("empty sdp of an answer", .answer(sdp: "v"), .answer(sdp: "")),
        Bound("media of an offer", .offer(.init(media: .audioOnly, sdp: "v")), .offer(.init(media: nothing, sdp: "v"))),
        Bound("media that is wanted", .renegotiate(.audioOnly), .renegotiate(nothing)),
        Bound("info", .info(t(4_096)), .info(t(4_097))), Bound("ref of an ack", .ack(t(64)), .ack(t(65))),
        Bound("empty ref", .ack("x"), .ack("")), Bound("winner", winner(t(64)), winner(t(65))),
        Bound("winner that is no name", winner("tv"), winner("t v")),
        Bound("room", invite { $0.room = t(64) }, invite { $0.room = t(65) }),
        Bound("room that is no name", invite { $0.room = "r" }, invite { $0.room = "r/1" }),
        Bound("display name", invite { $0.displayName = t(256) }, invite { $0.displayName = t(257) }),
        Bound("address", invite { $0.address = t(256) }, invite { $0.address = t(257) }),
        Bound("device") { $0.device = $1 ? t(65) : t(64) }, Bound("empty device") { $0.device = $1 ? "" : nil },
        Bound("toDevice") { $0.toDevice = $1 ? "ä" : "a" }, Bound("least number") { $0.sequence = $1 ? 0 : 1 },
        Bound("highest number") { $0.sequence = $1 ? 1_000_001 : 1_000_000 },
        Bound("least epoch") { $0.epoch = $1 ? -1 : 0 },
        Bound("highest epoch") { $0.epoch = $1 ? 9_007_199_254_740_992 : 9_007_199_254_740_991 },
        Bound("entries of the application") { message, isBeyond in
            for number in 0..<(isBeyond ? 33 : 32) { message.extensionData["k\(number)"] = "" }
        },
        Bound("bytes of the application") { $0.extensionData = ["k": t($1 ? 4_096 : 4_095)] },
        Bound("keys of the application") { $0.extensionData = [$1 ? "a b" : "a_b": ""] },
        Bound("id") { $0.id = $1 ? t(65) : t(64) }, Bound("call id") { $0.callId = $1 ? "c 1" : "c:1" },
        Bound("receiver") { $0.to = $1 ? "" : "b" },
    ]

    @Test("A message beyond a limit is neither encoded nor decoded, and never cut", arguments: bounds)
    func bound(bound: Bound) throws {
        #expect(try SignalingMessage(decoding: bound.within.encoded()) == bound.within)
        #expect {
            try bound.beyond.encoded()
        } throws: { error in
            (error as? MalformedMessage)?.code == 400
        }
    }

    // MARK: Errors

    @Test(
        "Another version and an unknown type are 426, also with other errors",
        arguments: [
            #"{"v":2,"type":"ringing"}"#, #"{"v":0,"type":"invite"}"#, #"{"type":"ringing"}"#,
            #"{"v":1,"type":"dance"}"#,
            #"{"v":1}"#, #"{"v":1,"type":""}"#, #"{"v":1,"type":"Invite"}"#, #"{"v":1,"type":"signIn","user":"a"}"#,
            "{}",
        ])
    func unknown(text: String) { #expect(Self.code(text) == 426) }

    @Test(
        "A missing field is 400",
        arguments: [
            "invite", "progress", "candidate", "offer", "answer", "renegotiate", "state", "info", "status", "ack",
        ])
    func missing(type: String) {
        #expect(Self.code(callMessage(type, from: "a", to: "b")) == 400)
    }

    @Test(
        "A field of the wrong type is 400",
        arguments: [
            #""sdp":1"#, #""sdp":null,"media":{"audio":true,"video":true}"#, #""media":[]"#,
            #""media":{"audio":1,"video":true}"#,
            #""media":{"audio":true}"#, #""state":{}"#, #""state":{"audio":"loud","video":"on","hold":false}"#,
            #""callState":"dancing""#, #""extension":[]"#, #""extension":{"a":1}"#, #""seq":"1""#, #""seq":1.5"#,
            #""epoch":"1""#, #""epoch":1.5"#,
            #""generation":1e99"#, #""sentUnixMs":"now""#, #""sentUnixMs":1e999"#, #""code":true"#, #""device":{}"#,
        ])
    func wrongType(field: String) {
        #expect(Self.code(callMessage("invite", from: "a", to: "b", extra: "," + field)) == 400)
    }

    @Test("A text that is not a JSON object is 400; one that is too deep or too long is refused before parsing")
    func noObject() {
        for text in ["", " ", "null", "1", "[]", "\"x\"", "{", "}", "{\"v\":1", "\u{0}"] {
            #expect(Self.code(text) == 400, "\(text)")
        }
        #expect(Self.code(String(repeating: "[", count: 257)) == 400)
        #expect(Self.code(String(repeating: #"{"a":"#, count: 5_000)) == 400)
        #expect(Self.code(String(repeating: " ", count: 65_537)) == 413)
        // In UTF-16 it is 513 deep; the bytes of U+2261 are a letter and a quote, which hide the rest.
        let units = Array("[\"\u{2261}\",".utf16) + Array(repeating: 0x5B, count: 512)
        let text = String(decoding: units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, as: UTF8.self)
        #expect(Self.code(text) == 400 && MessageHead(decoding: text) == nil)
    }

    private static func code(_ text: String) -> Int? {
        do throws(MalformedMessage) {
            _ = try SignalingMessage(decoding: text)
            return nil
        } catch {
            return error.code
        }
    }

    private static func type(of message: SignalingMessage) throws -> String {
        let text = try message.encoded()
        let start = try #require(text.range(of: #""type":""#)?.upperBound)
        return String(text[start...].prefix { $0 != "\"" })
    }

    private static let nothing = CallMedia(audio: false, video: false)
    private static func t(_ length: Int) -> String { String(repeating: "t", count: length) }
    private static func winner(_ name: String) -> SignalingMessage.Body {
        .cancel(.init(code: 200, text: "", winner: name))
    }
    private static func invite(_ change: (inout SignalingMessage.Invite) -> Void) -> SignalingMessage.Body {
        var invite = SignalingMessage.Invite(media: .audioVideo, ringTimeoutMs: 1, sdp: "v")
        change(&invite)
        return .invite(invite)
    }
}
