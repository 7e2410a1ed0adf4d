import CallAgent
import Synchronization
import Testing

@testable import CallAgent
@testable import WebSocketSignaling

struct ClientRulesTests {
    // MARK: URL

    @Test(arguments: [
        ("ws://localhost", "localhost", 80, "/", "localhost"), ("ws://localhost/", "localhost", 80, "/", "localhost"),
        ("ws://localhost:8080", "localhost", 8080, "/", "localhost:8080"),
        ("WS://a.b-c_d:1", "a.b-c_d", 1, "/", "a.b-c_d:1"),
        ("ws://127.0.0.1:65535/x/y?z=1&w", "127.0.0.1", 65_535, "/x/y?z=1&w", "127.0.0.1:65535"),
        ("ws://h?q", "h", 80, "/?q", "h"), ("ws://[::1]", "::1", 80, "/", "[::1]"),
        ("ws://[fe80::1%25eth0]:9/a:b@c", "fe80::1%25eth0", 9, "/a:b@c", "[fe80::1%25eth0]:9"),
        ("wss://h", "h", 443, "/", "h"), ("WSS://h:80/x", "h", 80, "/x", "h:80"),
    ])
    func aURLIsReadIntoItsParts(text: String, host: String, port: Int, target: String, field: String) throws {
        let url = try SignalingURL(text, .webSocket)
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.target == target)
        #expect(url.hostField == field)
        #expect(url.text == text)
        #expect(url.isSecure == text.lowercased().hasPrefix("wss:"))
    }

    @Test(arguments: [
        ("ws://localhost", true), ("ws://LOCALHOST:1/x", true), ("ws://127.0.0.1", true), ("ws://127.255.0.1:80", true),
        ("ws://[::1]", true), ("ws://127.0.0.1.example.org", false), ("ws://127.example.org", false),
        ("ws://0.0.0.0", false),
        ("ws://x.localhost", false), ("ws://192.0.2.1", false), ("ws://127.0.0.256", false),
        ("ws://[2001:db8::1]", false),
    ])
    func onlyWhatIsSurelyThisMachineIsLoopback(text: String, isLoopback: Bool) throws {
        #expect(try SignalingURL(text, .webSocket).isLoopback == isLoopback)
    }

    @Test func noTextTrapsTheURL() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let text = String(
                decoding: generator.mutated(["ws://[::1]:80/a?b", "wss://x", "ws://localhost:8080/"]), as: UTF8.self)
            guard let url = try? SignalingURL(text, .webSocket) else { continue }
            #expect((1...65_535).contains(url.port) && !url.host.isEmpty && url.target.hasPrefix("/"), "seed \(seed)")
        }
    }

    // MARK: Back-off

    @Test func thePausesDoubleUpToTheLongestAndBeginAgain() {
        var backoff = Backoff(shortest: .milliseconds(200), longest: .seconds(5))
        let pauses = (0..<7).map { _ in backoff.pause(chance: 0) }
        #expect(pauses == [200, 400, 800, 1_600, 3_200, 5_000, 5_000].map { .milliseconds($0) })
        backoff.reset()
        #expect(backoff.pause(chance: 0) == .milliseconds(200))
    }

    @Test func chanceTakesAwayUpToHalfOfAPause() {
        var backoff = Backoff(shortest: .seconds(4), longest: .seconds(4))
        #expect(backoff.pause(chance: 1) == .seconds(2))
        #expect(backoff.pause(chance: 0.5) == .seconds(3))
        #expect(backoff.pause(chance: 7) == .seconds(2))
        #expect(backoff.pause(chance: -7) == .seconds(4))
    }

    @Test func aShortestPauseBeyondTheLongestIsTheLongest() {
        var backoff = Backoff(shortest: .seconds(9), longest: .seconds(1))
        #expect(backoff.pause(chance: 0) == .seconds(1))
    }

    @Test func aConfigurationIsBroughtWithinWhatATimerHolds() {
        var configuration = WebSocketTransportConfiguration()
        #expect(configuration.bounded() == configuration)
        configuration.connectTimeout = .seconds(-1)
        configuration.silenceTimeout = .seconds(Int64.max)
        #expect(configuration.bounded().connectTimeout == .milliseconds(1))
        #expect(configuration.bounded().silenceTimeout == .seconds(86_400))
    }

    // MARK: The server's answer

    @Test func theAnswersOfTheDocumentAreRead() {
        #expect(ServerReply(decoding: #"{"v":1,"type":"signedIn","user":"alice"}"#) == .signedIn(.init()))
        #expect(
            ServerReply(decoding: #"{"v":1,"type":"signedIn","unixMs":17,"resume":"abc"}"#)
                == .signedIn(.init(unixMs: 17, resume: "abc")))
        guard
            case .signedIn(let answer) = ServerReply(
                decoding: #"{"v":1,"type":"signedIn","iceServers":{"servers":[{"urls":["stun:s"]}],"validForMs":-5}}"#),
            let servers = answer.iceServers
        else {
            Issue.record("no servers")
            return
        }
        #expect(servers.servers == [IceServer(urls: ["stun:s"])] && servers.validForMs == 0)
        for odd in ["[]", "5", "\"x\"", #"{"servers":[{"urls":"stun:s"}]}"#, #"{"servers":[],"validForMs":1.5}"#] {
            let text = #"{"v":1,"type":"signedIn","resume":"r","iceServers":\#(odd)}"#
            #expect(ServerReply(decoding: text) == .signedIn(.init(resume: "r")), "\(odd)")
        }
        let many = Array(repeating: #"{"urls":[]}"#, count: 33).joined(separator: ",")
        #expect(
            ServerReply(decoding: #"{"v":1,"type":"signedIn","iceServers":{"servers":[\#(many)]}}"#)
                == .signedIn(.init()), "too many servers are none")
        #expect(
            ServerReply(decoding: #"{"v":1,"type":"signedIn","unixMs":-1,"resume":"a\"b"}"#) == .signedIn(.init()))
        #expect(
            ServerReply(decoding: #"{"v":1,"type":"refused","code":409,"text":"taken"}"#)
                == .refused(code: 409, text: "taken"))
        #expect(ServerReply(decoding: #"{"v":1,"type":"refused"}"#) == .refused(code: 400, text: ""))
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"v":2,"type":"signedIn"}"#, #"{"v":1,"type":"hello"}"#, #"{"type":"signedIn"}"#,
    ])
    func anythingElseIsNoAnswer(text: String) {
        #expect(ServerReply(decoding: text) == nil)
    }

    @Test func anAnswerThatIsNestedDeeplyIsNoDanger() {
        for depth in [1, 64, 511, 512, 513, 514, 60_000] {
            #expect(ServerReply(decoding: String(repeating: "[", count: depth)) == nil)
            #expect(
                ServerReply(decoding: #"{"v":1,"type":"signedIn","a":"# + String(repeating: "[", count: depth)) == nil)
        }
    }

    @Test func aLongTextOfARefusalIsCut() {
        let text = String(repeating: "ä", count: 200)
        let reply = ServerReply(decoding: #"{"v":1,"type":"refused","code":400,"text":"\#(text)"}"#)
        #expect(reply == .refused(code: 400, text: String(repeating: "ä", count: 128)))
    }

    // MARK: The queue of events

    @Test func theQueueTellsWhenItIsFullAndWhenThereIsRoom() async {
        let queue = SignalingEventQueue(capacity: 1_000)
        let hadRoom = Mutex(false)
        let text = String(repeating: "x", count: 436)
        #expect(queue.put(.received(text)))
        #expect(queue.put(.received(text)))
        #expect(!queue.put(.received(text)))
        let second = Mutex(false)
        queue.whenThereIsRoom { hadRoom.withLock { $0 = true } }
        queue.whenThereIsRoom { second.withLock { $0 = true } }
        var events = queue.events.makeAsyncIterator()
        #expect(await events.next() == .received(text))
        #expect(!hadRoom.withLock { $0 })
        #expect(await events.next() == .received(text))
        #expect(hadRoom.withLock { $0 } && second.withLock { $0 })
        queue.finish()
        #expect(await events.next() == .received(text))
        #expect(await events.next() == nil)
    }
}
