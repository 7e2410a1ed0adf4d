import Testing

@testable import MediaEngine

@Suite("STUN and TURN servers") struct IceServerTests {
    @Test(
        "URLs are parsed according to RFC 7064 and RFC 7065",
        arguments: [
            ("stun:stun.example.org", "stun stun.example.org 3478 udp"),
            ("stun:192.0.2.1:19302", "stun 192.0.2.1 19302 udp"),
            ("turn:turn.example.org", "turn turn.example.org 3478 udp"),
            ("TURN:turn.example.org:443?transport=tcp", "turn turn.example.org 443 tcp"),
            ("turn:[2001:db8::1]:5000?transport=udp", "turn 2001:db8::1 5000 udp"),
            ("turns:turn.example.org", "turns turn.example.org 5349 tcp"), ("stun:[::1]", "stun ::1 3478 udp"),
        ])
    func parses(text: String, expected: String) throws {
        let url = try IceServerURL(parsing: text)
        #expect("\(url.scheme) \(url.host) \(url.port) \(url.transport)" == expected)
    }

    @Test(
        "Malformed URLs are refused",
        arguments: [
            "", "turn", "turn:", "http://example.org", "turn://example.org", "turn:a b", "turn:a:0", "turn:a:65536",
            "turn:a:x",
            "turn:a:1:2", "turn:[::1", "turn:[a]", "turn:[::1]x", "turn:a?transport=sctp", "turn:a?x=1", "turn:a?",
            "stun:a?transport=udp", "turn:user@a", "turn:ä", "stun:" + String(repeating: "a", count: 600),
        ])
    func refuses(text: String) { #expect(throws: MediaError.self) { try IceServerURL(parsing: text) } }

    @Test("An IPv6 address keeps its brackets in messages")
    func brackets() throws {
        let url = try IceServerURL(parsing: "turn:[2001:db8::1]?transport=tcp")
        #expect(url.host == "2001:db8::1" && url.text == "turn:[2001:db8::1]:3478")
    }

    @Test(
        "A repeated URL is used once, with its last credentials, and an unusable one is ignored"
    )
    func collects() throws {
        let servers = try IceServers(
            [
                StunTurnServer(urls: ["stun:a", "stun:b", "stun:a:3478"]),
                StunTurnServer(urls: ["stun:b", "stun:a:1"]),
                StunTurnServer(urls: ["turn:t", "turn:t?transport=tcp"], username: "old", credential: "1"),
                StunTurnServer(
                    urls: ["turns:t?transport=udp", "stuns:t", "turns:t", "turn:T:3478", "turn:t:3478?transport=udp"],
                    username: "new", credential: "2"),
            ], policy: .all)
        #expect(servers.stun.map(\.text) == ["stun:a:3478", "stun:b:3478", "stun:a:1"])
        #expect(
            servers.relays.map { "\($0.url.text) \($0.url.transport) \($0.username) \($0.credential)" } == [
                "turn:t:3478 udp new 2", "turn:t:3478 tcp old 1", "turns:t:5349 tcp new 2", "turn:T:3478 udp new 2",
            ])
        #expect(servers.unusable.count == 2)
    }

    @Test("The name of this machine stands for its addresses of the families in use")
    func localhost() throws {
        let url = try IceServerURL(parsing: "turn:LocalHost:99?transport=udp")
        #expect(LostTurnPort.urls(of: url, on: ["10.0.0.1"]).map(\.text) == ["turn:127.0.0.1:99"])
        let both = LostTurnPort.urls(of: url, on: ["10.0.0.1", "fd00::1"])
        #expect(both.map(\.text) == ["turn:127.0.0.1:99", "turn:[::1]:99"])
        let other = try IceServerURL(parsing: "turn:localhost.example.org")
        #expect(LostTurnPort.urls(of: other, on: ["fd00::1"]) == [other])
    }

    @Test("TURN needs credentials, and the relay policy needs TURN")
    func insists() throws {
        for server in [
            StunTurnServer(urls: ["turn:t"]), StunTurnServer(urls: ["turn:t"], username: "u"),
            StunTurnServer(urls: ["turn:t"], username: "", credential: "c"),
            StunTurnServer(urls: ["turn:t"], username: "u\0", credential: "c"),
        ] {
            #expect(throws: MediaError.invalidIceServer(url: "turn:t", text: "TURN needs a username and a credential"))
            {
                try IceServers([server], policy: .all)
            }
        }
        #expect(throws: MediaError.self) { try IceServers([], policy: .relay) }
        do throws(MediaError) {
            let datagrams = StunTurnServer(urls: ["turns:t?transport=udp"], username: "u", credential: "c")
            _ = try IceServers([datagrams], policy: .relay)
            Issue.record("it was accepted")
        } catch {
            #expect("\(error)".contains("'turns:t?transport=udp'") && "\(error)".contains("DTLS"))
        }
    }
}
