import CallProtocol
import NIOHTTP1
import Testing

@testable import HTTPClient
@testable import WHIPSignaling

/// What the WHIP client reads and writes, as values.
struct WHIPRulesTests {
    // MARK: URLs

    @Test(
        "A URL is read into the parts of a request",
        arguments: [
            ("http://h", "h", 80, "/", "h", false), ("https://h", "h", 443, "/", "h", true),
            ("HTTPS://h:8443/whip/a?b=c#d", "h", 8_443, "/whip/a?b=c", "h:8443", true),
            ("http://[::1]:9/x", "::1", 9, "/x", "[::1]:9", false),
        ])
    func url(text: String, host: String, port: Int, target: String, authority: String, isSecure: Bool) throws {
        let url = try HTTPURL(text)
        #expect(url.host == host && url.port == port && url.target == target)
        #expect(url.authority == authority && url.isSecure == isSecure)
    }

    @Test(
        "What is no URL of a server is refused",
        arguments: [
            ("", .malformed), ("h/whip", .malformed), ("ws://h", .unknownScheme), ("http://", .malformed),
            ("http://h:0", .malformed), ("http://h:65536", .malformed), ("http://user@h", .hasPassword),
            ("http://user:word@h", .hasPassword), ("http://a%0d%0ab/", .malformed),
            ("https://good%2f.evil/", .malformed), ("http://h/ x", .malformed), ("http://h/\r\nHost: x", .malformed),
        ] as [(String, HTTPURL.Invalid)])
    func noURL(text: String, reason: HTTPURL.Invalid) {
        #expect(throws: reason) { try HTTPURL(text) }
    }

    @Test(
        "A reference is resolved as browsers do",
        arguments: [
            ("/session/1", "https://h:1/session/1"), ("1", "https://h:1/whip/1"), ("../s?x=y", "https://h:1/s?x=y"),
            ("//other/s", "https://other/s"), ("http://other:2/s", "http://other:2/s"),
        ])
    func reference(text: String, expected: String) throws {
        #expect(try HTTPURL("https://h:1/whip/room?a=b").resolving(text).text == expected)
    }

    @Test(
        "No response leads from https to http; a server behind a proxy for TLS may write http for itself",
        arguments: [
            ("http://h/session/1", "https://h:1/session/1"), ("https://other/s", "https://other/s"),
            ("http://other/s", nil), ("ftp://h/s", nil), ("http://", nil),
        ] as [(String, String?)])
    func following(text: String, expected: String?) throws {
        let url = try HTTPURL("https://h:1/whip/room")
        #expect((try? url.following(text))?.text == expected)
    }

    // MARK: Fragments

    private static let offer = """
        v=0\r
        o=- 1 0 IN IP4 0.0.0.0\r
        a=group:BUNDLE 0 1\r
        m=audio 9 UDP/TLS/RTP/SAVPF 111\r
        a=mid:0\r
        a=ice-ufrag:EsAw\r
        a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r
        m=video 0 UDP/TLS/RTP/SAVPF 96\r
        a=mid:1\r
        a=ice-ufrag:EsAw\r
        a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r

        """

    @Test("A fragment names the first m-line, the credentials and the candidates, as in RFC 9725")
    func fragment() throws {
        var fragment = try #require(TrickleFragment(of: Self.offer))
        fragment.candidates = ["candidate:1 1 udp 2122260223 192.0.2.1 61764 typ host", ""]
        #expect(
            fragment.text == """
                a=group:BUNDLE 0 1\r
                m=audio 9 UDP/TLS/RTP/SAVPF 111\r
                a=mid:0\r
                a=ice-ufrag:EsAw\r
                a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r
                a=candidate:1 1 udp 2122260223 192.0.2.1 61764 typ host\r
                a=end-of-candidates\r

                """)
    }

    @Test("A server's fragment is read with its candidates, each with the fragment that it belongs to")
    func serverFragment() throws {
        let text =
            "a=ice-lite\r\na=ice-ufrag:abcd\r\na=ice-pwd:secret\r\na=candidate:1 1 udp 1 h 1 typ host\r\n"
            + "a=candidate:2 1 udp 1 h 1 typ host ufrag abcd\na=end-of-candidates\r\n"
        let fragment = try #require(TrickleFragment(parsing: text))
        #expect(fragment.credentials == .init(fragment: "abcd", password: "secret"))
        #expect(
            fragment.messages == [
                .candidate(.init(candidate: "candidate:1 1 udp 1 h 1 typ host ufrag abcd", mLine: 0)),
                .candidate(.init(candidate: "candidate:2 1 udp 1 h 1 typ host ufrag abcd", mLine: 0)),
            ])
    }

    @Test("What is no fragment is refused", arguments: ["", "<html>", "a=ice-ufrag:abcd", "a=ice-pwd:secret"])
    func noFragment(text: String) {
        #expect(TrickleFragment(parsing: text) == nil)
        #expect(TrickleFragment(of: text) == nil)
    }

    @Test("Of a server's candidates only so many are read, and each one once")
    func manyCandidates() throws {
        let lines = (0..<1_000).map { "a=candidate:1 1 udp 1 h \($0 / 2) typ host" }
        let text = (["a=ice-ufrag:abcd", "a=ice-pwd:secret"] + lines).joined(separator: "\r\n")
        let candidates = try #require(TrickleFragment(parsing: text)).candidates
        #expect(candidates.count == 64 && Set(candidates).count == 64)
    }

    // MARK: Links

    @Test("The servers of a response are read from its links; other links are skipped")
    func links() {
        let headers = [
            #"<stun:stun.example.net>; rel="ice-server""#,
            #"<turn:turn.example.net?transport=udp>; rel="ice-server"; username="us,er"; credential="my\"Pass;word"; credential-type="password", <turns:t?transport=tcp>; rel=ice-server"#,
            #"<https://x/ext>; rel="urn:ietf:params:whip:ext:core:layer""#, "", "<", "nonsense; rel=\"ice-server\"",
            #"<turn:oauth>; rel="ice-server"; credential-type="oauth""#,
        ]
        #expect(
            IceServerLink.servers(headers) == [
                IceServer(urls: ["stun:stun.example.net"]),
                IceServer(
                    urls: ["turn:turn.example.net?transport=udp"], username: "us,er", credential: #"my"Pass;word"#),
                IceServer(urls: ["turns:t?transport=tcp"]),
            ])
        let many = Array(repeating: #"<stun:a>; rel="ice-server""#, count: 100).joined(separator: ",")
        #expect(IceServerLink.servers([many]).count == IceServerLink.maximum)
    }

    @Test("No text traps a link or a fragment")
    func randomText() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let samples = [#"<turn:t>; rel="ice-server"; username="a\"b", <stun:s>; rel=ice-server"#, Self.offer]
        for _ in 0..<5_000 {
            let text = String(decoding: generator.mutated(samples), as: UTF8.self)
            #expect(IceServerLink.servers([text]).count <= IceServerLink.maximum, "seed \(seed)")
            _ = TrickleFragment(parsing: text)
            _ = TrickleFragment(of: text)
        }
    }

    // MARK: Answers

    @Test(
        "An answer says what the server sends",
        arguments: [
            ("m=audio 9 x 1\r\na=sendonly\r\nm=video 9 x 2\r\na=sendonly\r\n", true, true),
            ("m=audio 9 x 1\r\nm=video 0 x 2\r\na=sendonly\r\n", true, false),
            ("m=video 9 x 1\r\na=sendrecv\r\n", false, true),
            ("m=audio 9 x 1\r\na=inactive\r\nm=video 9 x 2\r\na=recvonly\r\n", false, false),
        ])
    func sends(media: String, audio: Bool, video: Bool) throws {
        let response = HTTPResponse(status: 201, headers: [:], body: "v=0\r\n" + media)
        let url = try HTTPURL("http://h/whep")
        let played = ServerAnswer(response, from: url, mayReceive: true, hasToken: false, inviteId: "a1")
        let sends = MediaState(audio: audio ? .on : .off, video: video ? .on : .off)
        #expect(played == .accepted(sdp: response.body, sends: sends))
        let published = ServerAnswer(response, from: url, mayReceive: false, hasToken: false, inviteId: "a1")
        #expect(published == .accepted(sdp: response.body, sends: MediaState(audio: .off, video: .off)))
    }
}
