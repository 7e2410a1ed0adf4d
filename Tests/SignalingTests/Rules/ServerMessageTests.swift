import CallAgent
import CallProtocol
import Testing

@testable import SignalingServer

struct ServerMessageTests {
    @Test func theAnswersToASignInAreThoseOfTheDocument() {
        let alice = Party(user: "alice", device: "tv")
        #expect(
            ServerMessage.signedIn(alice, resume: "r", tokenExpiresInMs: nil, unixMs: 5).json
                == #"{"v":1,"type":"signedIn","user":"alice","device":"tv","unixMs":5,"resume":"r"}"#)
        #expect(
            ServerMessage.signedIn(
                alice, resume: "r", tokenExpiresInMs: 7, unixMs: 5,
                iceServers: .init(servers: [.init(urls: ["stun:s"])], validForMs: 9)
            ).json
                .hasSuffix(
                    #","resume":"r","tokenExpiresInMs":7,"iceServers":{"servers":[{"urls":["stun:s"]}],"validForMs":9}}"#
                ))
        #expect(
            ServerMessage.refused(code: 409, text: "taken").json
                == #"{"v":1,"type":"refused","code":409,"text":"taken"}"#)
    }

    @Test func theAgentReadsWhatTheServerWrites() throws {
        let party = Party(user: "alice", device: "tv")
        let gone = ServerMessage.gone(id: "server-1", callId: "c", from: party, to: "bob", unixMs: 17)
        #expect(gone.json.contains(#""device":"tv""#))
        var read = SignalingMessage(id: "server-1", callId: "c", from: "alice", to: "bob", sentUnixMs: 17, body: .gone)
        read.device = "tv"
        #expect(try SignalingMessage(decoding: gone.json) == read)
        let fault = ServerMessage.Fault(code: 480, text: "bob is out", callId: "c", ref: "m", generation: 2)
        #expect(
            try SignalingMessage(decoding: ServerMessage.error(fault, id: "server-2", to: "alice", unixMs: 18).json)
                == SignalingMessage(
                    id: "server-2", callId: "c", from: "", to: "alice", generation: 2, sentUnixMs: 18,
                    body: .error(.init(code: 480, text: "bob is out", ref: "m"))))
    }

    @Test func aNameIs1To64OfAFewASCIICharacters() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-@+:")
        for scalar in (0...0x2FF).compactMap(Unicode.Scalar.init) {
            let character = Character(scalar)
            #expect(SignalingLimits.isName(String(character)) == allowed.contains(character))
        }
        for length in [0, 1, 63, 64, 65] {
            #expect(SignalingLimits.isName(String(repeating: "a", count: length)) == (1...64).contains(length))
        }
    }
}
