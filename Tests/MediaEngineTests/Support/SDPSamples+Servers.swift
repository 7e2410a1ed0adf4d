/// Descriptions like those of libraries and servers.
extension SDPSamples {
    /// Like aiortc 1.16: three fingerprints, payload types from 96 on, the transport in every m-line, a data channel.
    static let aiortc = """
        v=0
        o=- 4004270264 4004270264 IN IP4 0.0.0.0
        s=-
        t=0 0
        a=group:BUNDLE 0 1 2
        a=msid-semantic:WMS *
        m=audio 41870 UDP/TLS/RTP/SAVPF 96 9 0 8
        c=IN IP4 192.0.2.2
        a=sendrecv
        a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:2 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=mid:0
        a=msid:61f3506d-edb1-4594-a65c-8e5d743f26c0 85c06427-5b07-4ae1-a466-d00f3f3e8095
        a=rtcp:9 IN IP4 0.0.0.0
        a=rtcp-mux
        a=ssrc:3371095066 cname:2e14c59e-c3d1-4063-bdb6-8310d6ae90da
        a=rtpmap:96 opus/48000/2
        a=rtpmap:9 G722/8000
        a=rtpmap:0 PCMU/8000
        a=rtpmap:8 PCMA/8000
        a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 41870 typ host
        a=candidate:d0bcf3d9c29a2bc887618212a1623bfa 1 udp 2130706431 2001:db8::2 57511 typ host
        a=end-of-candidates
        \(aiortcTransport)
        a=setup:actpass
        m=video 49531 UDP/TLS/RTP/SAVPF 97 98 99 100 101 102
        c=IN IP4 192.0.2.2
        a=sendrecv
        a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:3 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=mid:1
        a=msid:61f3506d-edb1-4594-a65c-8e5d743f26c0 095a3b3c-ec99-41aa-969b-85544216e58d
        a=rtcp:9 IN IP4 0.0.0.0
        a=rtcp-mux
        a=ssrc-group:FID 1250870029 3557353623
        a=ssrc:1250870029 cname:2e14c59e-c3d1-4063-bdb6-8310d6ae90da
        a=ssrc:3557353623 cname:2e14c59e-c3d1-4063-bdb6-8310d6ae90da
        a=rtpmap:97 VP8/90000
        a=rtcp-fb:97 nack
        a=rtcp-fb:97 nack pli
        a=rtcp-fb:97 goog-remb
        a=rtpmap:98 rtx/90000
        a=fmtp:98 apt=97
        a=rtpmap:99 H264/90000
        a=rtcp-fb:99 nack
        a=rtcp-fb:99 nack pli
        a=rtcp-fb:99 goog-remb
        a=fmtp:99 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
        a=rtpmap:100 rtx/90000
        a=fmtp:100 apt=99
        a=rtpmap:101 H264/90000
        a=rtcp-fb:101 nack
        a=rtcp-fb:101 nack pli
        a=rtcp-fb:101 goog-remb
        a=fmtp:101 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
        a=rtpmap:102 rtx/90000
        a=fmtp:102 apt=101
        a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 49531 typ host
        a=end-of-candidates
        \(aiortcTransport)
        a=setup:actpass
        m=application 44453 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 192.0.2.2
        a=mid:2
        a=sctp-port:5000
        a=max-message-size:262144
        a=end-of-candidates
        \(aiortcTransport)
        a=setup:actpass

        """.replacing("\n", by: "\r\n")

    private static let aiortcTransport = """
        a=ice-ufrag:AUT7
        a=ice-pwd:9KHXUwozF4ISEQPqdEzJae
        a=fingerprint:\(fingerprint)
        a=fingerprint:sha-384 6C:C0:B5:87:94:42:72:19:D5:7F:2A:34:B7:AF:C3:2A:78:68:22:32:C0:64:29:08:47:62:91:BE:D7:DB:28:1A:F7:9E:16:65:06:F2:CD:CD:AA:D4:DE:5D:38:B8:96:C3
        a=fingerprint:sha-512 6A:08:36:14:81:89:57:AD:C3:3F:08:B2:60:89:EB:9B:1A:06:E9:66:93:38:C3:17:1E:8E:D0:5D:48:BA:3F:2C:71:8C:87:96:67:E6:AC:AE:43:0C:10:79:34:77:14:6F:7D:30:E5:71:59:DF:F3:08:18:66:FE:23:2E:31:C5:2C
        """

    /// Like Pion: the fingerprint in the session, blanks at the ends of lines, each candidate again for RTCP, and
    /// payload types that others do not use.
    static let pion = """
        v=0
        o=- 5228595038118931041 1700000000 IN IP4 0.0.0.0
        s=-
        t=0 0
        a=msid-semantic:WMS *
        a=fingerprint:\(fingerprint)
        a=extmap-allow-mixed
        a=group:BUNDLE 0 1
        m=audio 9 UDP/TLS/RTP/SAVPF 111 9 0 8
        c=IN IP4 0.0.0.0
        a=setup:actpass
        a=mid:0
        a=ice-ufrag:hMuWFSvrvuStGQIF
        a=ice-pwd:GYSaonWMIhKicfoqytgQPzptgqrxhvcl
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:111 opus/48000/2
        a=fmtp:111 minptime=10;useinbandfec=1
        a=rtcp-fb:111 transport-cc\u{20}
        a=rtpmap:9 G722/8000
        a=rtpmap:0 PCMU/8000
        a=rtpmap:8 PCMA/8000
        a=extmap:1 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=ssrc:920256325 cname:pion
        a=ssrc:920256325 msid:pion audio
        a=ssrc:920256325 mslabel:pion
        a=ssrc:920256325 label:audio
        a=msid:pion audio
        a=sendrecv
        a=candidate:233762139 1 udp 2130706431 192.0.2.7 42974 typ host ufrag hMuWFSvrvuStGQIF
        a=candidate:233762139 2 udp 2130706431 192.0.2.7 42974 typ host ufrag hMuWFSvrvuStGQIF
        a=candidate:842163049 1 udp 1694498815 203.0.113.7 50131 typ srflx raddr 0.0.0.0 rport 50131
        a=candidate:842163049 2 udp 1694498815 203.0.113.7 50131 typ srflx raddr 0.0.0.0 rport 50131
        a=end-of-candidates
        m=video 9 UDP/TLS/RTP/SAVPF 96 97 102 103 127 125 39 40 98 99 112
        c=IN IP4 0.0.0.0
        a=setup:actpass
        a=mid:1
        a=ice-ufrag:hMuWFSvrvuStGQIF
        a=ice-pwd:GYSaonWMIhKicfoqytgQPzptgqrxhvcl
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:96 VP8/90000
        a=rtcp-fb:96 goog-remb\u{20}
        a=rtcp-fb:96 ccm fir
        a=rtcp-fb:96 nack\u{20}
        a=rtcp-fb:96 nack pli
        a=rtcp-fb:96 transport-cc\u{20}
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        a=rtpmap:102 H264/90000
        a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
        a=rtpmap:103 rtx/90000
        a=fmtp:103 apt=102
        a=rtpmap:127 H264/90000
        a=fmtp:127 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42001f
        a=rtpmap:125 rtx/90000
        a=fmtp:125 apt=127
        a=rtpmap:39 H264/90000
        a=fmtp:39 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=4d001f
        a=rtpmap:40 rtx/90000
        a=fmtp:40 apt=39
        a=rtpmap:98 VP9/90000
        a=fmtp:98 profile-id=0
        a=rtpmap:99 rtx/90000
        a=fmtp:99 apt=98
        a=rtpmap:112 H264/90000
        a=fmtp:112 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=64001f
        a=ssrc-group:FID 3089405311 2231627014
        a=ssrc:3089405311 cname:pion
        a=ssrc:2231627014 cname:pion
        a=msid:pion video
        a=sendrecv

        """.replacing("\n", by: "\r\n")

    /// Like a subscription at Janus: a session name, m-lines that only send, letters as mids,
    /// parameters that end in a semicolon, and the transport's fingerprint twice.
    static let janus = """
        v=0
        o=- 1621934037162508 1 IN IP4 198.51.100.240
        s=VideoRoom 1234
        t=0 0
        a=group:BUNDLE a v d
        a=ice-options:trickle
        a=fingerprint:\(fingerprint)
        a=extmap-allow-mixed
        a=msid-semantic: WMS janus
        m=audio 9 UDP/TLS/RTP/SAVPF 111
        c=IN IP4 198.51.100.240
        a=sendonly
        a=mid:a
        a=rtcp-mux
        a=ice-ufrag:WWOA
        a=ice-pwd:gLNRMGY9vXZ7oYlgb9QlBN
        a=ice-options:trickle
        a=fingerprint:\(fingerprint)
        a=setup:actpass
        a=rtpmap:111 opus/48000/2
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=fmtp:111 useinbandfec=1
        a=msid:janus janusa
        a=ssrc:3424953280 cname:janus
        a=ssrc:3424953280 msid:janus janusa
        a=candidate:1 1 udp 2015363327 198.51.100.240 52932 typ host
        a=candidate:2 1 udp 2015363583 192.0.2.7 42154 typ host
        a=end-of-candidates
        m=video 9 UDP/TLS/RTP/SAVPF 96 97
        c=IN IP4 198.51.100.240
        b=TIAS:512000
        a=sendonly
        a=mid:v
        a=rtcp-mux
        a=ice-ufrag:WWOA
        a=ice-pwd:gLNRMGY9vXZ7oYlgb9QlBN
        a=ice-options:trickle
        a=fingerprint:\(fingerprint)
        a=setup:actpass
        a=rtpmap:96 H264/90000
        a=fmtp:96 profile-level-id=42e01f;packetization-mode=1;
        a=rtcp-fb:96 ccm fir
        a=rtcp-fb:96 nack
        a=rtcp-fb:96 nack pli
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        a=ssrc-group:FID 44610768 2245469848
        a=msid:janus janusv
        a=ssrc:44610768 cname:janus
        a=ssrc:2245469848 cname:janus
        a=candidate:1 1 udp 2015363327 198.51.100.240 52932 typ host
        a=end-of-candidates
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 198.51.100.240
        a=sendrecv
        a=mid:d
        a=sctp-port:5000
        a=ice-ufrag:WWOA
        a=ice-pwd:gLNRMGY9vXZ7oYlgb9QlBN
        a=ice-options:trickle
        a=setup:actpass
        a=candidate:1 1 udp 2015363327 198.51.100.240 52932 typ host
        a=end-of-candidates

        """.replacing("\n", by: "\r\n")
}
