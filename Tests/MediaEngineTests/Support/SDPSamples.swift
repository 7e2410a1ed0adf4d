@testable import MediaEngine

/// Descriptions to start from.
enum SDPSamples {
    static let fingerprint =
        "sha-256 "
        + "7B:8B:F0:65:5F:78:E2:51:3B:AC:6F:F3:3F:46:1B:35:DC:B8:5F:64:1A:24:C2:43:F0:A1:58:D0:A1:2C:19:08"

    /// A plain offer of audio and video, one attribute a line, so that a test can remove or change each line.
    static let offer = """
        v=0
        o=- 4611731400430051336 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0 1
        m=audio 9 UDP/TLS/RTP/SAVPF 111
        c=IN IP4 0.0.0.0
        a=mid:0
        a=sendrecv
        a=rtcp-mux
        a=ice-ufrag:4ZcD
        a=ice-pwd:2/1muCWoOi3uLifh0NuRHlbc
        a=fingerprint:\(fingerprint)
        a=setup:actpass
        a=rtpmap:111 opus/48000/2
        a=fmtp:111 minptime=10;useinbandfec=1
        a=ssrc:1001 cname:audio
        a=candidate:1 1 UDP 2015363327 127.0.0.1 9 typ host
        m=video 9 UDP/TLS/RTP/SAVPF 96 102
        c=IN IP4 0.0.0.0
        a=mid:1
        a=sendrecv
        a=rtcp-mux
        a=ice-ufrag:4ZcD
        a=ice-pwd:2/1muCWoOi3uLifh0NuRHlbc
        a=fingerprint:\(fingerprint)
        a=setup:actpass
        a=rtpmap:96 VP8/90000
        a=rtcp-fb:96 nack pli
        a=rtcp-fb:96 ccm fir
        a=rtpmap:102 H264/90000
        a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
        a=ssrc:1002 cname:frame
        a=candidate:1 1 UDP 2015363327 127.0.0.1 9 typ host

        """.replacing("\n", by: "\r\n")

    /// ``offer`` with a second video.
    static let twoVideos: String = {
        let video = "m=video" + offer.components(of: "m=video")[1]
        return offer.replacing("BUNDLE 0 1", by: "BUNDLE 0 1 2")
            + video.replacing("a=mid:1", by: "a=mid:2").replacing("ssrc:1002", by: "ssrc:1003")
    }()

    /// All that an end may have.
    static let tracks: Set<TrackID> = [.audio, .video, .video(2), .video(3), .video(4)]

    static func read(_ sdp: String, as kind: SessionDescription.Kind = .offer) throws(MediaError) -> RemoteDescription {
        try RemoteDescription(SessionDescription(kind: kind, sdp: sdp))
    }

    /// ``offer`` with every occurrence of `old` replaced, or only the one with the given number, from 0.
    static func offer(_ old: String, _ new: String, only index: Int? = nil) -> String {
        guard let index else { return offer.replacing(old, by: new) }
        var parts = offer.components(of: old)
        guard parts.indices.contains(index + 1) else { return offer }
        parts[index] += new + parts.remove(at: index + 1)
        return parts.joined(separator: old)
    }

    /// ``offer`` without the lines that begin with this text.
    static func offer(without start: String) -> String {
        offer.components(of: "\r\n").filter { !$0.hasPrefix(start) }.joined(separator: "\r\n")
    }

    /// ``offer`` changed to an answer to itself.
    static let answer = offer.replacing("actpass", by: "active")

    /// Like Firefox: attributes of all m-lines stand once, in the session.
    static let firefox = """
        v=0
        o=mozilla...THIS_IS_SDPARTA-99.0 3264281263153434361 0 IN IP4 0.0.0.0
        s=-
        t=0 0
        a=sendrecv
        a=fingerprint:\(fingerprint)
        a=ice-ufrag:1b5a1ae9
        a=ice-pwd:fc7c9ad0c9e6fcb0ba1bde7a9f1fcc67
        a=setup:actpass
        a=group:BUNDLE 0 1
        a=ice-options:trickle
        a=msid-semantic:WMS *
        m=audio 9 UDP/TLS/RTP/SAVPF 109 9 0 8 101
        c=IN IP4 0.0.0.0
        a=sendrecv
        a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=extmap:2/recvonly urn:ietf:params:rtp-hdrext:csrc-audio-level
        a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
        a=fmtp:109 maxplaybackrate=48000;stereo=1;useinbandfec=1
        a=fmtp:101 0-15
        a=mid:0
        a=msid:{c3d0} {a1}
        a=rtcp-mux
        a=rtpmap:109 opus/48000/2
        a=rtpmap:9 G722/8000/1
        a=rtpmap:0 PCMU/8000
        a=rtpmap:8 PCMA/8000
        a=rtpmap:101 telephone-event/8000/1
        a=ssrc:3441332435 cname:{5bd6}
        m=video 0 UDP/TLS/RTP/SAVPF 120 124 126 127
        c=IN IP4 0.0.0.0
        a=bundle-only
        a=sendrecv
        a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
        a=fmtp:126 profile-level-id=42e01f;level-asymmetry-allowed=1;packetization-mode=1
        a=fmtp:120 max-fs=12288;max-fr=60
        a=fmtp:124 apt=120
        a=fmtp:127 apt=126
        a=mid:1
        a=rtcp-fb:120 nack
        a=rtcp-fb:120 nack pli
        a=rtcp-fb:120 ccm fir
        a=rtcp-fb:120 goog-remb
        a=rtcp-fb:120 transport-cc
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:120 VP8/90000
        a=rtpmap:124 rtx/90000
        a=rtpmap:126 H264/90000
        a=rtpmap:127 rtx/90000
        a=ssrc:1204219063 cname:{5bd6}
        a=ssrc:2044214912 cname:{5bd6}
        a=ssrc-group:FID 1204219063 2044214912

        """.replacing("\n", by: "\r\n")

    /// Like Chromium: many codecs and header extensions, old `msid` lines, candidates with extensions.
    static let chromium = """
        v=0
        o=- 6018482137442135113 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0 1
        a=extmap-allow-mixed
        a=msid-semantic: WMS 5e6e
        m=audio 51472 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
        c=IN IP4 203.0.113.7
        a=rtcp:9 IN IP4 0.0.0.0
        a=candidate:1467250027 1 udp 2122260223 192.0.2.5 51472 typ host generation 0 network-id 1 network-cost 10
        a=candidate:4233069003 1 tcp 1518280447 192.0.2.5 9 typ host tcptype active generation 0 network-id 1
        a=candidate:842163049 1 udp 1677729535 203.0.113.7 51472 typ srflx raddr 192.0.2.5 rport 51472 generation 0
        a=ice-ufrag:EsAw
        a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
        a=ice-options:trickle
        a=fingerprint:\(fingerprint)
        a=setup:actpass
        a=mid:0
        a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=sendrecv
        a=msid:5e6e 9b1a
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:111 opus/48000/2
        a=rtcp-fb:111 transport-cc
        a=fmtp:111 minptime=10;sprop-stereo=1;stereo=1;useinbandfec=1
        a=rtpmap:63 red/48000/2
        a=fmtp:63 111/111
        a=rtpmap:9 G722/8000
        a=rtpmap:0 PCMU/8000
        a=rtpmap:8 PCMA/8000
        a=rtpmap:13 CN/8000
        a=rtpmap:110 telephone-event/48000
        a=rtpmap:126 telephone-event/8000
        a=ssrc:3570614608 cname:4TOk42mSjXCkVIa6
        a=ssrc:3570614608 msid:5e6e 9b1a
        m=video 51472 UDP/TLS/RTP/SAVPF 96 97 102 103 104 35
        c=IN IP4 203.0.113.7
        a=ice-ufrag:EsAw
        a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
        a=fingerprint:\(fingerprint)
        a=setup:actpass
        a=mid:1
        a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
        a=sendrecv
        a=rtcp-mux
        a=rtpmap:96 VP8/90000
        a=rtcp-fb:96 goog-remb
        a=rtcp-fb:96 transport-cc
        a=rtcp-fb:96 ccm fir
        a=rtcp-fb:96 nack
        a=rtcp-fb:96 nack pli
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        a=rtpmap:102 H264/90000
        a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
        a=rtpmap:103 rtx/90000
        a=fmtp:103 apt=102
        a=rtpmap:104 H264/90000
        a=fmtp:104 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42001f
        a=rtpmap:35 AV1/90000
        a=fmtp:35 level-idx=5;profile=0;tier=0
        a=ssrc-group:FID 2231627014 632943048
        a=ssrc:2231627014 cname:4TOk42mSjXCkVIa6
        a=ssrc:632943048 cname:4TOk42mSjXCkVIa6

        """.replacing("\n", by: "\r\n")

    /// Like Safari: a data channel before the rest, a second camera, addresses hidden behind names, and a transport that
    /// only the first m-line of the bundle describes.
    static let safari = """
        v=0
        o=- 3489712348971234 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE d 0 1 2
        a=extmap-allow-mixed
        a=msid-semantic: WMS
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 0.0.0.0
        a=candidate:1 1 UDP 2113937151 0b5c7a3e-2e9d-4f0a-9d3c-6a1f2b3c4d5e.local 51472 typ host
        a=ice-ufrag:EsAw
        a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
        a=ice-options:trickle
        a=fingerprint:\(fingerprint)
        a=setup:actpass
        a=rtcp-mux
        a=mid:d
        a=sctp-port:5000
        a=max-message-size:262144
        m=audio 9 UDP/TLS/RTP/SAVPF 111 8
        c=IN IP4 0.0.0.0
        a=candidate:1 1 UDP 2113937151 0b5c7a3e-2e9d-4f0a-9d3c-6a1f2b3c4d5e.local 51472 typ host
        a=candidate:2 1 UDP 1677729535 203.0.113.7 51472 typ srflx raddr 0.0.0.0 rport 0
        a=end-of-candidates
        a=mid:0
        a=sendrecv
        a=msid:stream track
        a=rtcp-rsize
        a=rtpmap:111 opus/48000/2
        a=rtcp-fb:111 transport-cc
        a=fmtp:111 minptime=10;useinbandfec=1
        a=rtpmap:8 PCMA/8000
        a=ssrc:1 cname:safari
        m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99
        c=IN IP4 0.0.0.0
        a=mid:1
        a=sendrecv
        a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=rtpmap:96 H264/90000
        a=rtcp-fb:96 ccm fir
        a=rtcp-fb:96 nack pli
        a=fmtp:96 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=640c1f
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        a=rtpmap:98 H264/90000
        a=fmtp:98 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
        a=rtpmap:99 VP8/90000
        a=rtcp-fb:99 nack pli
        a=ssrc:2 cname:safari
        m=video 9 UDP/TLS/RTP/SAVPF 96
        c=IN IP4 0.0.0.0
        a=mid:2
        a=sendonly
        a=rtpmap:96 H264/90000

        """.replacing("\n", by: "\r\n")
}
