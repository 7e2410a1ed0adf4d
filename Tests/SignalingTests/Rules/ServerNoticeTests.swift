import CallAgent
import Testing

@testable import SignalingServer
@testable import WebSocketSignaling

struct ServerNoticeTests {
    @Test func theClientReadsWhatTheServerWrites() throws {
        let server = IceServerOffer.Server(urls: ["turn:t"], username: "1:a", credential: "c=")
        let pairs: [(ServerMessage, ServerNotice)] = [
            (.tokenWillExpire(inMs: 7), .tokenWillExpire(milliseconds: 7)), (.renewed(tokenExpiresInMs: 5), .renewed),
            (.renewalRefused(code: 403, text: "no"), .renewalRefused(code: 403, text: "no")), (.watching, .watching),
            (.watchRefused(code: 400, text: "no"), .watchRefused(code: 400, text: "no")),
            (.presence(user: "callId", devices: ["a", "b"]), .presence(Presence(user: "bob", devices: ["a", "b"]))),
            (
                .iceServers(.init(servers: [server, .init(urls: ["stun:s"])], validForMs: 9)),
                .iceServers(
                    try #require(
                        OfferedIceServers(
                            .init(
                                servers: [
                                    IceServer(urls: ["turn:t"], username: "1:a", credential: "c="),
                                    IceServer(urls: ["stun:s"]),
                                ], validForMs: 9))))
            ),
        ]
        for (message, notice) in pairs {
            #expect(ServerNotice(decoding: message.json.replacing("callId", with: "bob")) == notice)
        }
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"v":1,"type":"hello"}"#, #"{"v":2,"type":"watching"}"#,
        #"{"v":1,"type":"presence","user":"a b","devices":[]}"#, #"{"v":1,"type":"presence","user":"a"}"#,
        #"{"v":1,"type":"presence","user":"a","devices":[""]}"#, #"{"v":1,"type":"iceServers","servers":{}}"#,
        #"{"v":1,"type":"renewed","callId":"c"}"#,
    ])
    func anythingElseIsNone(text: String) {
        #expect(ServerNotice(decoding: text) == nil)
    }

    @Test func nothingTrapsTheReader() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let samples = [
            ServerMessage.presence(user: "a", devices: ["b"]).json, ServerMessage.tokenWillExpire(inMs: 7).json,
            ServerMessage.iceServers(.init(servers: [.init(urls: ["a"])], validForMs: 9)).json,
        ]
        for _ in 0..<5_000 {
            _ = ServerNotice(decoding: String(decoding: generator.mutated(samples), as: UTF8.self))
        }
        for depth in [1, 64, 511, 512, 513, 60_000] {
            let text = #"{"v":1,"type":"watching","a":"# + String(repeating: "[", count: depth)
            #expect(ServerNotice(decoding: text) == nil)
        }
    }

    @Test func aSignInHasWhatThereIs() {
        var request = SignInRequest(user: "alice")
        #expect(request.json == #"{"v":1,"type":"signIn","user":"alice"}"#)
        request.device = "tv"
        request.token = "t"
        request.resume = "r"
        #expect(request.json == #"{"v":1,"type":"signIn","user":"alice","device":"tv","token":"t","resume":"r"}"#)
    }
}
