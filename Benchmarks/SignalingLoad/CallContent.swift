import CallProtocol

/// What the messages of a call contain, as long as an agent's.
enum CallContent {
    /// Host candidates, one of a STUN server, and the end of candidates.
    static let candidates: [SignalingMessage.Body] = [
        "candidate:1 1 UDP 2015363327 192.0.2.1 50000 typ host",
        "candidate:2 1 UDP 2015363583 2001:db8:3c4d:15::1a2f:1a2b 50001 typ host",
        "candidate:3 1 UDP 1679819007 198.51.100.1 61234 typ srflx raddr 192.0.2.1 rport 50000",
        "",
    ].map { .candidate(.init(candidate: $0, mLine: 0)) }

    static let offer = description(setup: "actpass")
    static let answer = description(setup: "active")

    /// Audio and video.
    private static func description(setup: String) -> String {
        let transport = [
            "c=IN IP4 0.0.0.0", "a=setup:\(setup)", "a=ice-ufrag:u7KdX2wq9LmN4rTzu7KdX2wq9LmN4rTz",
            "a=ice-pwd:p0A1b2C3d4E5f6G7h8I9j0p0A1b2C3d4", "a=rtcp-mux", "a=rtcp-rsize", "a=sendrecv",
            "a=fingerprint:sha-256 0B:30:55:7A:9F:C4:E9:0E:33:58:7D:A2:C7:EC:11:36:5B:80:A5:CA:EF:14:39:5E:83:A8:CD:F2:17:3C:61:86",
            "a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid",
            "a=extmap:2 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01",
            "a=extmap:3 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time",
        ]
        let session = [
            "v=0", "o=- 5612097311907465129 0 IN IP4 0.0.0.0", "s=-", "t=0 0", "a=ice-options:trickle",
            "a=group:BUNDLE audio0 video1",
        ]
        let audio = [
            "m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=mid:audio0", "a=rtpmap:111 OPUS/48000/2",
            "a=fmtp:111 minptime=10;useinbandfec=1;usedtx=0", "a=rtcp-fb:111 transport-cc",
            "a=extmap:4 urn:ietf:params:rtp-hdrext:ssrc-audio-level",
            "a=ssrc:3184534127 cname:user1840122951@host-5f2c",
        ]
        let codecs = [(96, "VP8"), (98, "H264")].flatMap { number, name in
            ["a=rtpmap:\(number) \(name)/90000"]
                + ["nack", "nack pli", "ccm fir", "transport-cc"].map { "a=rtcp-fb:\(number) \($0)" }
        }
        let video =
            ["m=video 9 UDP/TLS/RTP/SAVPF 96 98 97", "a=mid:video1"] + codecs + [
                "a=fmtp:98 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f",
                "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96", "a=ssrc-group:FID 2231627014 632943048",
                "a=ssrc:2231627014 cname:user1840122951@host-5f2c", "a=ssrc:632943048 cname:user1840122951@host-5f2c",
            ]
        return (session + audio + transport + video + transport).map { "\($0)\r\n" }.joined()
    }
}
