import Testing

@testable import MediaEngine

/// Answers to an offer of ours: Opus as 111 with telephone events as 110, VP8 as 96.
extension SDPSamples {
    /// Joins the parts of an answer that differ from peer to peer.
    private static func composed(
        session: [String] = [], audio: [String], video: [String], transport: [String]
    ) -> String {
        let head = ["v=0", "o=- 4611731400430051336 2 IN IP4 0.0.0.0", "s=-", "t=0 0", "a=group:BUNDLE audio0 video1"]
        let lines =
            head + session + ["m=audio 9 UDP/TLS/RTP/SAVPF 111 110", "c=IN IP4 0.0.0.0"] + audio
            + ["a=mid:audio0"] + transport + ["m=video 9 UDP/TLS/RTP/SAVPF 96", "c=IN IP4 0.0.0.0"] + video
            + ["a=mid:video1"] + transport
        return lines.map { $0 + "\r\n" }.joined()
    }

    private static let ice = ["a=ice-ufrag:EsAw", "a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1"]

    /// Like Chromium.
    static let chromiumAnswer = composed(
        session: ["a=extmap-allow-mixed", "a=msid-semantic: WMS 5e6e"],
        audio: [
            "a=rtcp:9 IN IP4 0.0.0.0", "a=sendrecv", "a=msid:5e6e 9b1a", "a=rtcp-mux", "a=rtpmap:111 opus/48000/2",
            "a=fmtp:111 minptime=10;useinbandfec=1", "a=rtpmap:110 telephone-event/48000",
            "a=ssrc:3570614608 cname:4TOk42mSjXCkVIa6",
        ],
        video: [
            "a=rtcp:9 IN IP4 0.0.0.0", "a=sendrecv", "a=msid:5e6e 7c2b", "a=rtcp-mux", "a=rtcp-rsize",
            "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 ccm fir", "a=rtcp-fb:96 nack pli",
            "a=ssrc:2231627014 cname:4TOk42mSjXCkVIa6",
        ], transport: ice + ["a=ice-options:trickle", "a=fingerprint:\(fingerprint)", "a=setup:active"])

    /// Like Firefox, which only receives video: the session holds the fingerprint, and the video's parameters limit it.
    static let firefoxAnswer = composed(
        session: ["a=fingerprint:\(fingerprint)", "a=ice-options:trickle", "a=msid-semantic:WMS *"],
        audio: [
            "a=sendrecv", "a=fmtp:111 maxplaybackrate=48000;stereo=1;useinbandfec=1", "a=fmtp:110 0-15",
            "a=msid:{c3d0} {a1}", "a=rtcp-mux", "a=rtpmap:111 opus/48000/2", "a=rtpmap:110 telephone-event/48000/1",
            "a=ssrc:3441332435 cname:{5bd6}",
        ],
        video: [
            "a=recvonly", "a=fmtp:96 max-fs=12288;max-fr=60", "a=rtcp-fb:96 nack pli", "a=rtcp-fb:96 ccm fir",
            "a=rtcp-mux", "a=rtcp-rsize", "a=rtpmap:96 VP8/90000", "a=ssrc:1204219063 cname:{5bd6}",
        ], transport: ["a=setup:active"] + ice)

    /// Like Safari: video refused, and addresses hidden behind names.
    static let safariAnswer = composed(
        audio: [
            "a=candidate:1 1 UDP 2113937151 0b5c7a3e-2e9d-4f0a-9d3c-6a1f2b3c4d5e.local 51472 typ host", "a=sendrecv",
            "a=rtcp-mux", "a=rtcp-rsize", "a=rtpmap:111 opus/48000/2", "a=fmtp:111 minptime=10;useinbandfec=1",
            "a=ssrc:1 cname:safari",
        ], video: ["a=inactive", "a=rtpmap:96 VP8/90000"],
        transport: ice + ["a=fingerprint:\(fingerprint)", "a=setup:active"]
    ).replacing("m=video 9", by: "m=video 0").replacing("BUNDLE audio0 video1", by: "BUNDLE audio0")

    /// Like aiortc: all candidates at once, three fingerprints.
    static let aiortcAnswer = composed(
        session: ["a=msid-semantic:WMS *"],
        audio: [
            "a=sendrecv", "a=msid:d66d bdcf", "a=rtcp:9 IN IP4 0.0.0.0", "a=rtcp-mux", "a=ssrc:2485496526 cname:2a99",
            "a=rtpmap:111 opus/48000/2",
            "a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 34588 typ host",
            "a=end-of-candidates",
        ],
        video: [
            "a=sendrecv", "a=msid:d66d 65f1", "a=rtcp:9 IN IP4 0.0.0.0", "a=rtcp-mux", "a=ssrc:595515808 cname:2a99",
            "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack pli",
            "a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 34588 typ host",
            "a=end-of-candidates",
        ],
        transport: ice + [
            "a=fingerprint:\(fingerprint)",
            "a=fingerprint:sha-384 BA:02:7B:A9:A8:7F:2A:67:F2:A6:4B:E8:B2:72:58:18:61:68:63:0E:95:97:4D:77:1B:F3:85:C1:83:11:47:36:3F:C3:BB:5B:47:87:3C:03:0B:CE:77:2E:A4:DF:11:46",
            "a=setup:active",
        ])

    /// Like Pion: the fingerprint in the session, and each candidate twice.
    static let pionAnswer = composed(
        session: ["a=fingerprint:\(fingerprint)", "a=extmap-allow-mixed"],
        audio: [
            "a=rtcp-mux", "a=rtcp-rsize", "a=rtpmap:111 opus/48000/2", "a=fmtp:111 minptime=10;useinbandfec=1",
            "a=ssrc:920256325 cname:pion", "a=msid:pion audio", "a=sendrecv",
            "a=candidate:233762139 1 udp 2130706431 192.0.2.7 42974 typ host",
            "a=candidate:233762139 2 udp 2130706431 192.0.2.7 42974 typ host", "a=end-of-candidates",
        ],
        video: [
            "a=rtcp-mux", "a=rtcp-rsize", "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 ccm fir", "a=rtcp-fb:96 nack\u{20}",
            "a=rtcp-fb:96 nack pli", "a=ssrc:3089405311 cname:pion", "a=msid:pion video", "a=sendrecv",
        ], transport: ["a=setup:active"] + ice)

    /// Like Janus to a publisher: it only receives, limits the rate, and describes the transport in each m-line.
    static let janusAnswer = composed(
        session: ["a=ice-options:trickle", "a=fingerprint:\(fingerprint)", "a=msid-semantic: WMS janus"],
        audio: [
            "a=recvonly", "a=rtcp-mux", "a=rtpmap:111 opus/48000/2", "a=fmtp:111 useinbandfec=1",
            "a=candidate:1 1 udp 2015363327 198.51.100.240 22914 typ host", "a=end-of-candidates",
        ],
        video: [
            "b=TIAS:512000", "a=recvonly", "a=rtcp-mux", "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 ccm fir",
            "a=rtcp-fb:96 nack", "a=rtcp-fb:96 nack pli", "a=msid:janus janusv0", "a=ssrc:3138246228 cname:janus",
            "a=candidate:1 1 udp 2015363327 198.51.100.240 22914 typ host", "a=end-of-candidates",
        ], transport: ice + ["a=ice-options:trickle", "a=fingerprint:\(fingerprint)", "a=setup:active"])
}

extension SDPSamples {
    /// A peer's description and the peer's name.
    struct Sample: Sendable, CustomTestStringConvertible {
        let peer: String
        let sdp: String
        var testDescription: String { peer }
    }

    static let offers = [
        Sample(peer: "a plain one", sdp: offer), Sample(peer: "Chromium", sdp: chromium),
        Sample(peer: "Firefox", sdp: firefox), Sample(peer: "Safari", sdp: safari),
        Sample(peer: "aiortc", sdp: aiortc), Sample(peer: "Pion", sdp: pion), Sample(peer: "Janus", sdp: janus),
    ]

    static let answers = [
        Sample(peer: "a plain one", sdp: answer), Sample(peer: "Chromium", sdp: chromiumAnswer),
        Sample(peer: "Firefox", sdp: firefoxAnswer), Sample(peer: "Safari", sdp: safariAnswer),
        Sample(peer: "aiortc", sdp: aiortcAnswer), Sample(peer: "Pion", sdp: pionAnswer),
        Sample(peer: "Janus", sdp: janusAnswer),
    ]
}
