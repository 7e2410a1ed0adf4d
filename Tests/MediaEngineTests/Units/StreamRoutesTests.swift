import Testing

@testable import MediaEngine

@Suite("The track of a stream that the peer sends") struct StreamRoutesTests {
    /// Two videos; the mids are in the packets if `id` is not nil.
    private static func routes(id: Int?, sources: [UInt32] = [11, 22]) throws -> StreamRoutes {
        let extmap = id.map { "a=extmap:\($0) \(StreamRoutes.extensionURI)\r\n" } ?? ""
        let media = zip(["0", "v2"], sources).map { mid, ssrc in
            "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:\(mid)\r\na=sendrecv\r\na=rtcp-mux\r\na=ice-ufrag:abcd\r\n"
                + "a=ice-pwd:abcdefghijklmnopqrstuv\r\na=fingerprint:sha-256 \(fingerprint)\r\na=setup:actpass\r\n"
                + "a=rtpmap:96 VP8/90000\r\n\(extmap)a=ssrc:\(ssrc) cname:x\r\n"
        }
        let head = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0 v2\r\n"
        let description = try RemoteDescription(
            SessionDescription(kind: .offer, sdp: head + media.joined()), tracks: [.video, .video(2)])
        let routes = StreamRoutes()
        routes.follow(description.sections)
        return routes
    }

    private static let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")

    /// The head of a packet with a mid in the header extension `id`.
    private static func packet(_ ssrc: UInt8, _ mid: String, id: UInt8) -> [UInt8] {
        var element = [id << 4 | UInt8(mid.utf8.count - 1)] + Array(mid.utf8)
        while element.count % 4 != 0 { element.append(0) }
        return [0x90, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, ssrc, 0xbe, 0xde, 0, UInt8(element.count / 4)] + element
    }

    @Test("By its SSRC in the description, or the first one when nothing tells")
    func described() throws {
        let routes = try Self.routes(id: nil)
        #expect(routes.track(of: 11, .video) == .video)
        #expect(routes.track(of: 22, .video) == .video(2))
        #expect(routes.track(of: 33, .video) == .video)
        #expect(routes.track(of: nil, .video) == .video)
        #expect(routes.track(of: 22, .audio) == .audio, "the description lies about its kind")
    }

    @Test("By the mid of its first packet, whatever the description says of the SSRC")
    func identified() throws {
        let routes = try Self.routes(id: 9)
        Self.packet(33, "v2", id: 9).withUnsafeBytes { routes.note(firstPacket: $0) }
        Self.packet(22, "0", id: 9).withUnsafeBytes { routes.note(firstPacket: $0) }
        Self.packet(44, "v2", id: 8).withUnsafeBytes { routes.note(firstPacket: $0) }
        Self.packet(55, "unknown", id: 9).withUnsafeBytes { routes.note(firstPacket: $0) }
        #expect(routes.track(of: 33, .video) == .video(2))
        #expect(routes.track(of: 22, .video) == .video)
        #expect(routes.track(of: 44, .video) == .video, "another header extension")
        #expect(routes.track(of: 55, .video) == .video)
        #expect(routes.track(of: 11, .video) == .video)
    }

    @Test("Cut packets are read as far as they go, and any number of streams is followed")
    func bounded() throws {
        let routes = try Self.routes(id: 9)
        let whole = Self.packet(33, "v2", id: 9)
        for length in 0..<whole.count {
            Array(whole.prefix(length)).withUnsafeBytes { routes.note(firstPacket: $0) }
        }
        for ssrc in UInt8.min...UInt8.max {
            Self.packet(ssrc, "v2", id: 9).withUnsafeBytes { routes.note(firstPacket: $0) }
        }
        #expect(routes.track(of: 255, .video) == .video(2))
        #expect(routes.track(of: 1, .video) == .video, "forgotten")
    }

    @Test("Several videos may have the same payload types for the same formats, and nothing else may")
    func payloadTypes() throws {
        func sections(_ second: String, kind: String = "video", tracks: Set<TrackID>) throws -> Int {
            let media = [("video", "VP8/90000"), (kind, second)].enumerated().map { mid, media in
                "m=\(media.0) 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:\(mid)\r\na=rtcp-mux\r\na=ice-ufrag:abcd\r\n"
                    + "a=ice-pwd:abcdefghijklmnopqrstuv\r\na=fingerprint:sha-256 \(Self.fingerprint)\r\n"
                    + "a=setup:actpass\r\na=rtpmap:96 \(media.1)\r\n"
            }
            let head = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0 1\r\n"
            let text = head + media.joined()
            return try RemoteDescription(SessionDescription(kind: .offer, sdp: text), tracks: tracks).sections.count
        }
        #expect(try sections("VP8/90000", tracks: [.video, .video(2)]) == 2)
        #expect(try sections("VP8/90000", tracks: [.video]) == 1)
        #expect(try sections("H264/90000", tracks: [.video, .video(2)]) == 1, "a further video is refused")
        #expect(throws: MediaError.self) { try sections("opus/48000/2", kind: "audio", tracks: [.audio, .video]) }
    }
}
