import CallAgent
import CallProtocol
import Testing

@testable import SignalingServer

struct EnvelopeTests {
    @Test func theFieldsOfTheServerAreReadAndTheRestIsNot() {
        let text =
            #"{"x":{"id":[1,{"to":2}]},"v":1,"type":"invite","id":"m","callId":"c","from":"a","to":"b","generation":4}"#
        #expect(
            envelope(text)
                == Envelope(
                    version: 1, type: "invite", id: "m", callId: "c", from: "a", to: "b", generation: 4, user: nil))
    }

    @Test func aFieldOfAnotherTypeCountsAsAbsent() {
        let text = #"{"v":"1","type":7,"id":null,"callId":["c"],"from":{},"to":true,"generation":1.5,"user":false}"#
        #expect(envelope(text) == Envelope())
    }

    @Test(arguments: ["{}", " {} ", #"{"unknown":1}"#])
    func anObjectWithoutThemIsAnEmptyEnvelope(text: String) {
        #expect(envelope(text) == Envelope())
    }

    @Test(arguments: [
        "", " ", "[]", "[{}]", "1", "null", "true", #""text""#, "{", "}", "{}{}", "{},", #"{"v":1"#, #"{"v":}"#,
        #"{"v" 1}"#, #"{v:1}"#, "{'v':1}", "\u{0}", "{\u{0}}", #"{"v":NaN}"#,
    ])
    func whatIsNoJSONObjectIsNone(text: String) {
        #expect(envelope(text) == nil)
    }

    @Test(arguments: [
        #"{"from":"a","from":"b"}"#, #"{"from":"a","x":1,"from":"a"}"#, #"{"from":"a","fr\u006fm":"b"}"#,
        #"{"x":1,"x":2}"#,
    ])
    func aKeyThatAppearsTwiceMakesItNone(text: String) {
        #expect(envelope(text) == nil)
    }

    @Test(arguments: [
        #"{"a":{"from":1,"b":{"from":2}},"from":"x"}"#, #"{"a":"\"from\":","from":"x"}"#,
        #"{"a":"\\","from":"x"}"#, #"{"a:b":["c:d",{"e":1}],"from":"x"}"#, #"{"a":"{[:","b":"]}","from":"x"}"#,
    ])
    func aKeyWithinAValueIsNoSecondKey(text: String) {
        #expect(envelope(text)?.from == "x")
    }

    @Test func aTextInUTF16IsNone() {
        let bytes = #"{"v":1}"#.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(Envelope(decoding: bytes) == nil)
    }

    @Test(arguments: ["[", #"{"a":"#])
    func deepNestingIsNoDanger(bracket: String) {
        for depth in [1, 62, 63, 64, 65, 510, 511, 512, 513, 514, 12_000] {
            let text = #"{"from":"x","a":"# + String(repeating: bracket, count: depth)
            #expect(envelope(text) == nil)
            let end = String(repeating: bracket == "[" ? "]" : "}", count: depth)
            let closed = text + (bracket == "[" ? "" : "1") + end + "}"
            #expect(envelope(closed)?.from == (depth <= 63 ? "x" : nil))
        }
    }

    @Test func hugeNumbersAreNoDanger() {
        for number in ["1e999999", "-1e999999", "99999999999999999999999999", "1e-999999", "-0"] {
            let decoded = envelope(#"{"v":\#(number),"generation":\#(number),"from":"x"}"#)
            #expect(decoded == nil || decoded?.from == "x")
        }
    }

    @Test func noBytesTrapTheDecoders() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let samples = [
            callMessage(
                "invite", from: "alice", to: "bob", extra: #","media":{"audio":true,"video":false},"sdp":"v=0""#),
            callMessage("error", from: "a", to: "b", extra: #","code":1,"text":"\u00e4","ref":"m"}"#),
            RawClient.signIn("alice"), #"{"v":1e0,"a":[[[{"b":-1.5e+10}]]],"c":"\\\"\n"}"#,
        ]
        var (envelopes, messages) = (0, 0)
        for _ in 0..<20_000 {
            let bytes = generator.mutated(samples)
            if Envelope(decoding: bytes) != nil { envelopes += 1 }
            if let message = try? SignalingMessage(decoding: String(decoding: bytes, as: UTF8.self)) {
                messages += 1
                // An accepted message can be encoded again.
                #expect(throws: Never.self, "seed \(seed): \(bytes)") { try message.encoded() }
            }
        }
        #expect(envelopes > 0 && messages > 0, "seed \(seed)")
    }

    private func envelope(_ text: String) -> Envelope? { Envelope(decoding: text.utf8) }
}
