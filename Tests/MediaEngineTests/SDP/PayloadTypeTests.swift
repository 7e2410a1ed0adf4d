import Testing

@testable import MediaEngine

@Suite("User-defined payload types") struct PayloadTypeTests {
    private static let formats: [OfferedFormat] = [
        .init(payloadType: 111, rtpmap: "OPUS/48000/2", fmtp: "minptime=10"),
        .init(payloadType: 0, rtpmap: "PCMU/8000"),
        .init(payloadType: 110, rtpmap: "telephone-event/48000"), .init(payloadType: 96, rtpmap: "VP8/90000"),
        .init(payloadType: 97, rtpmap: "rtx/90000", fmtp: "apt=96;rtx-time=3000"),
        .init(payloadType: 102, rtpmap: "H264/90000", fmtp: "packetization-mode=1; profile-level-id=42e01f"),
        .init(payloadType: 103, rtpmap: "rtx/90000", fmtp: "apt=102"),
        .init(payloadType: 104, rtpmap: "H264/90000", fmtp: "packetization-mode=0"),
    ]

    /// The payload types in the order of the formats, and the `fmtp` of the retransmission formats.
    private func applied(_ rules: PayloadTypeRule...) throws -> (numbers: [Int], apt: [String], unused: Int) {
        var formats = Self.formats
        let unused = try formats.apply(rules)
        #expect(Set(formats.map(\.payloadType)).count == formats.count, "each is unique")
        #expect(formats.map(\.rtpmap) == Self.formats.map(\.rtpmap))
        return (formats.map(\.payloadType), formats.compactMap(\.fmtp).filter { $0.contains("apt") }, unused.count)
    }

    @Test("A free number is taken, and the retransmission format follows")
    func free() throws {
        let result = try applied(.init(rtpmap: "vp8/90000", payloadType: 120))
        #expect(result.numbers == [111, 0, 110, 120, 97, 102, 103, 104])
        #expect(result.apt == ["apt=120;rtx-time=3000", "apt=102"])
    }

    @Test("A number in use is swapped, across m-lines, and both retransmission formats follow")
    func swapped() throws {
        let result = try applied(.init(rtpmap: "VP8/90000", payloadType: 102))
        #expect(result.numbers == [111, 0, 110, 102, 97, 96, 103, 104])
        #expect(result.apt == ["apt=102;rtx-time=3000", "apt=96"])
        #expect(
            try applied(.init(rtpmap: "opus/48000/2", payloadType: 96)).numbers == [96, 0, 110, 111, 97, 102, 103, 104])
    }

    @Test("Parameters distinguish formats of the same name")
    func parameters() throws {
        let second = PayloadTypeRule(rtpmap: "H264/90000", fmtp: "packetization-mode=0", payloadType: 125)
        #expect(try applied(second).numbers.suffix(3) == [102, 103, 125])
        let both = PayloadTypeRule(
            rtpmap: "H264/90000", fmtp: "profile-level-id=42E01F;packetization-mode=1", payloadType: 126)
        #expect(try applied(both).numbers.suffix(3) == [126, 103, 104])
        let neither = try applied(.init(rtpmap: "H264/90000", fmtp: "packetization-mode=2", payloadType: 126))
        #expect(neither.numbers == Self.formats.map(\.payloadType) && neither.unused == 1)
    }

    @Test("A format that loses its number to one of RFC 3551 gets a free number, never below 96")
    func staticNumbers() throws {
        let result = try applied(.init(rtpmap: "PCMU/8000", payloadType: 111))
        #expect(result.numbers == [127, 111, 110, 96, 97, 102, 103, 104])
        #expect(try applied(.init(rtpmap: "PCMU/8000/1", payloadType: 99)).numbers[1] == 99)
    }

    @Test("Several rules apply in order, and a repeated rule changes nothing")
    func several() throws {
        let result = try applied(
            .init(rtpmap: "VP8/90000", payloadType: 102), .init(rtpmap: "VP8/90000", payloadType: 102),
            .init(rtpmap: "opus/48000/2", payloadType: 102))
        #expect(result.numbers == [102, 0, 110, 111, 97, 96, 103, 104])
        #expect(result.apt == ["apt=111;rtx-time=3000", "apt=96"])
    }

    @Test("A format that no offer has is refused, with those that there are")
    func unknownFormat() {
        let error = #expect(throws: MediaError.self) {
            try PayloadTypeRule(rtpmap: "AV1/90000", payloadType: 100).check()
        }
        #expect(error.map { "\($0)".contains("VP8/90000") } == true)
    }

    @Test("Numbers outside 96 to 127 are refused", arguments: [-1, 0, 95, 128, 255])
    func outOfRange(number: Int) {
        #expect(throws: MediaError.self) { try self.applied(.init(rtpmap: "VP8/90000", payloadType: number)) }
    }
}

extension RealPipelines {
    @Suite("User-defined payload types in a call") struct PayloadTypeCallTests {
        @Test("The offer has them, the answer takes them, and the media uses them")
        func call() async throws {
            var options = LoopbackCall.Options()
            options.audioCodecs = [.opus, .pcmu]
            options.videoCodecs = [.vp8, .h264]
            options.configure = {
                $0.payloadTypes = [
                    .init(rtpmap: "VP8/90000", payloadType: 102),
                    .init(rtpmap: "opus/48000/2", fmtp: "minptime=10", payloadType: 96),
                    .init(rtpmap: "opus/48000/2", fmtp: "minptime=11", payloadType: 97),
                    .init(rtpmap: "telephone-event/48000", fmtp: "0-15", payloadType: 99),
                    .init(rtpmap: "PCMU/8000", payloadType: 100),
                ]
            }
            let seen = Shared<[String]>([])
            options.rewrite = { description in
                seen.update { $0.append(description.sdp) }
                return description
            }
            try await withCall(options) { call in
                try await call.connect()
                let offer = try RemoteDescription(SessionDescription(kind: .offer, sdp: try #require(seen.value.first)))
                let names = offer.sections.map { section in
                    Dictionary(
                        uniqueKeysWithValues: section.formats.filter { $0.repairedPayloadType == nil }
                            .map { ($0.encoding.lowercased(), $0.payloadType) })
                }
                #expect(names[0]["opus/48000/2"] == 96 && names[0]["telephone-event/48000"] == 99)
                #expect(names[0]["pcmu/8000"] == 100 && names[0]["telephone-event/8000"] == 101)
                // VP8 took the number of H264, which got VP8's usual number. Then Opus took that one, and H264 got Opus's.
                #expect(names[1]["vp8/90000"] == 102 && names[1]["h264/90000"] == 111)
                for end in call.ends {
                    try await end.waitForFrames(10)
                    try await end.waitForTone()
                    let codecs = await end.peer.statisticsReport().codecs
                    #expect(
                        Dictionary(uniqueKeysWithValues: codecs.map { ($0.mimeType, $0.payloadType) })
                            == ["audio/OPUS": 96, "video/VP8": 102])
                }
            }
        }
    }
}
