import Testing

@testable import MediaEngine

@Suite("The second video of an offer") struct FurtherVideoTests {
    private static func read(_ sdp: String, as kind: SessionDescription.Kind = .offer) throws -> RemoteDescription {
        try RemoteDescription(SessionDescription(kind: kind, sdp: sdp), tracks: SDPSamples.tracks)
    }

    /// The offer with something replaced in the m-line of its second video.
    private static func offer(_ old: String, _ new: String) -> String {
        var parts = SDPSamples.twoVideos.components(of: "m=video")
        parts[2] = parts[2].replacing(old, by: new)
        return parts.joined(separator: "m=video")
    }

    @Test("It is used as a track of its own")
    func used() throws {
        let read = try Self.read(SDPSamples.twoVideos)
        #expect(read.sections.map(\.track) == [.audio, .video, .video(2)])
        #expect(read.refused.isEmpty)
    }

    @Test(
        "What cannot be used is refused, and the call goes on with the first one",
        arguments: [
            ("a=sendrecv", "a=inactive"), ("VP8/90000", "VP9/90000"),
            ("ice-ufrag:4ZcD", "ice-ufrag:other"), ("a=fingerprint:sha-256 7B", "a=fingerprint:sha-256 7C"),
            ("a=mid:2", "a=mid:3"), ("a=setup:actpass", "a=setup:holdconn"), ("SAVPF", "AVP"),
        ])
    func refused(old: String, new: String) throws {
        let sdp = Self.offer(old, new)
        // The group names m-lines that are there.
        let read = try Self.read(old == "a=mid:2" ? sdp.replacing("BUNDLE 0 1 2", by: "BUNDLE 0 1") : sdp)
        #expect(read.sections.map(\.track) == [.audio, .video])
        #expect(read.refused.map(\.index) == [2])
        #expect(read.refused[0].lines[0].hasPrefix("m=video 0 "))
    }

    @Test("An answer may refuse the first one and take the second one")
    func onlySecond() throws {
        let answer = SDPSamples.twoVideos.replacing("actpass", by: "active")
        var parts = answer.components(of: "m=video")
        parts[1] = parts[1].replacing(" 9 UDP", by: " 0 UDP")
        let read = try Self.read(
            parts.joined(separator: "m=video").replacing("BUNDLE 0 1 2", by: "BUNDLE 0 2"), as: .answer)
        #expect(read.sections.map(\.track) == [.audio, .video(2)])
        let restored = read.restoring(from: try Self.read(SDPSamples.twoVideos))
        #expect(restored.sections.map(\.track) == [.audio, .video, .video(2)])
        #expect(restored.directions[.video] == .inactive)
        #expect(restored.directions[.video(2)] == .sendrecv)
    }

    @Test("A refused m-line of an offer is not counted")
    func offWithFirst() throws {
        var parts = SDPSamples.twoVideos.components(of: "m=video")
        parts[1] = parts[1].replacing(" 9 UDP", by: " 0 UDP")
        let read = try Self.read(parts.joined(separator: "m=video").replacing("BUNDLE 0 1 2", by: "BUNDLE 0 2"))
        #expect(read.sections.map(\.track) == [.audio, .video])
        #expect(read.sections[1].mid == "2")
    }
}
