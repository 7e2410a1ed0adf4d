import Testing

@testable import MediaEngine

@Suite("Descriptions of browsers") struct RealLifeDescriptionTests {
    @Test("Firefox's session attributes apply to every m-line, and its bundle-only m-line is in use")
    func firefox() throws {
        let description = try SDPSamples.read(SDPSamples.firefox)
        #expect(description.sections.map(\.kind) == [.audio, .video])
        for section in description.sections {
            #expect(section.iceUfrag == "1b5a1ae9")
            #expect(section.setup == "actpass")
            #expect(section.fingerprint.description == SDPSamples.fingerprint)
        }
        let codecs = description.sections.map { $0.formats.compactMap(\.codec) }
        #expect(codecs == [[.opus, .g722, .pcmu, .pcma], [.vp8, .h264]])
        #expect(description.sections[1].sources.map(\.ssrc) == [1_204_219_063, 2_044_214_912])
    }

    @Test("Chromium's codecs, extensions and candidates are accepted, and unsupported parts are removed")
    func chromium() throws {
        let description = try SDPSamples.read(SDPSamples.chromium)
        let audio = description.sections[0]
        let video = description.sections[1]
        #expect(audio.candidates.count == 3)
        #expect(
            video.formats.filter { $0.codec == .h264 }.map(\.payloadType) == [102], "packetization mode 0 is not ours")
        #expect(video.formats.first?.feedback.sorted() == ["ccm fir", "goog-remb", "nack", "nack pli", "transport-cc"])
        let text = description.keeping([[111], [96]], clockRates: [48_000, 90_000]).forWebrtcbin.sdp
        for part in ["msid", "rtx", "red/", "AV1", "goog-remb", "a=rtcp:", "203.0.113.7 "] {
            // The server-reflexive candidate is the only place where the public address belongs.
            let lines = text.components(of: "\r\n").filter { !$0.hasPrefix("a=candidate") }
            #expect(!lines.contains { $0.contains(part) }, "\(part)")
            #expect(lines.filter { $0.contains("extmap") }.allSatisfy { $0.contains("transport-wide-cc") })
        }
    }

    @Test(
        "H264 is supported with packetization mode 1 only",
        arguments: [
            ("packetization-mode=1", true), ("x=1; packetization-mode=1;y=2", true), ("packetization-mode=0", false),
            ("packetization-mode=10", false), ("x-packetization-mode=1", false), ("x=1", false),
        ])
    func packetizationMode(parameters: String, isOurs: Bool) throws {
        let sdp = SDPSamples.offer(
            "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f", parameters)
        let formats = try SDPSamples.read(sdp).sections[1].formats
        #expect(formats.contains { $0.codec == .h264 } == isOurs)
    }

    @Test("Parameters that only describe the sender are removed if webrtcbin cannot handle them")
    func sprop() throws {
        let parameters = try SDPSamples.read(SDPSamples.chromium).sections[0].formats.first?.parameters
        let expected =
            FormatParameters.isNeeded
            ? "minptime=10;stereo=1;useinbandfec=1" : "minptime=10;sprop-stereo=1;stereo=1;useinbandfec=1"
        #expect(parameters == expected)
    }

    @Test(
        "A rewritten description is parsed the same, and is rewritten the same again",
        arguments: [SDPSamples.offer, SDPSamples.firefox, SDPSamples.chromium, SDPSamples.safari])
    func normalisingIsIdempotent(sdp: String) throws {
        let first = try SDPSamples.read(sdp)
        let second = try RemoteDescription(first.normalised)
        #expect(second.sections == first.sections)
        #expect(second.normalised == first.normalised)
    }

    @Test("Keeping one payload type in each m-line leaves the rest unchanged")
    func keepingOne() throws {
        let all = try SDPSamples.read(SDPSamples.chromium)
        let kept = all.keeping([[111], [102]], clockRates: [48_000, 90_000])
        #expect(kept.sections.map { $0.formats.map(\.payloadType) } == [[111], [102]])
        #expect(kept.sections.map(\.mid) == all.sections.map(\.mid))
        #expect(kept.normalised.sdp.contains("m=video 9 UDP/TLS/RTP/SAVPF 102\r\n"))
    }

    @Test("Lines may end with LF only, the last one with nothing, and empty lines are ignored")
    func lineEnds() throws {
        let expected = try SDPSamples.read(SDPSamples.offer)
        #expect(try SDPSamples.read(SDPSamples.offer.replacing("\r\n", by: "\n")) == expected)
        #expect(try SDPSamples.read(String(SDPSamples.offer.dropLast())) == expected)
        #expect(try SDPSamples.read(SDPSamples.offer("s=-\r\n", "s=-\r\n\r\n")) == expected)
    }

    @Test("One m-line needs no bundle")
    func oneLineAlone() throws {
        let lines = SDPSamples.offer.components(of: "m=video")[0].replacing("a=group:BUNDLE 0 1\r\n", by: "")
        #expect(try SDPSamples.read(lines).sections.map(\.kind) == [.audio])
    }

    @Test("The last direction in an m-line counts, and without any it is sendrecv")
    func direction() throws {
        #expect(try SDPSamples.read(SDPSamples.offer("a=sendrecv\r\n", "")).sections[0].direction == .sendrecv)
        let directions = ["sendonly", "recvonly", "inactive"]
        for direction in directions {
            let read = try SDPSamples.read(SDPSamples.offer("a=sendrecv", "a=\(direction)"))
            #expect(read.sections.map(\.direction.rawValue) == [direction, direction])
        }
    }

    @Test("Safari's data channel and second camera are not used, and webrtcbin gets no hidden address")
    func safari() throws {
        let description = try SDPSamples.read(SDPSamples.safari)
        #expect(description.sections.map(\.kind) == [.audio, .video])
        #expect(description.sections.map { $0.candidates.map(\.namesAddress) } == [[false, true], []])
        #expect(description.sections.map(\.hasAllCandidates) == [true, false])
        #expect(description.refused.map(\.index) == [0, 3])
        #expect(description.refused.map(\.mid) == ["d", "2"])
        #expect(description.usedMLines == [1, 2])
        #expect((0..<5).map(description.section(ofMLine:)) == [0, 0, 1, 0, nil])
        #expect(
            description.refused[0].lines == [
                "m=application 0 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0", "a=mid:d", "a=inactive",
            ])
        let passed = description.forWebrtcbin.sdp
        #expect(!passed.contains("application") && !passed.contains(".local"))
        #expect(passed.split(separator: "a=candidate:").count == 2)
    }

    @Test("In a bundle only the first m-line has to describe the transport")
    func transportOfTheBundle() throws {
        let description = try SDPSamples.read(SDPSamples.safari)
        #expect(description.sections[1].iceUfrag == description.sections[0].iceUfrag)
        let answer = SDPSamples.answer.components(of: "m=video")
        let attributes = ["a=ice-", "a=fingerprint", "a=setup", "a=rtcp-mux"]
        let short = answer[1].components(of: "\r\n").filter { line in !attributes.contains { line.hasPrefix($0) } }
        let read = try SDPSamples.read(answer[0] + "m=video" + short.joined(separator: "\r\n"), as: .answer)
        #expect(read.sections.map(\.setup) == ["active", "active"])
        #expect(Set(read.sections.map(\.icePassword)).count == 1)
    }

    @Test("An m-line with port 0 is not used, and a description needs another one")
    func portZero() throws {
        let description = try SDPSamples.read(SDPSamples.offer("m=video 9", "m=video 0"))
        #expect(description.sections.map(\.kind) == [.audio])
        #expect(description.refused.map(\.media) == ["video"])
        #expect(throws: MediaError.invalidSDP(line: nil, text: "no m-line of audio or video is in use")) {
            try SDPSamples.read(SDPSamples.offer(" 9 UDP", " 0 UDP"))
        }
    }
}

extension RealPipelines {
    @Suite("Negotiation with other peers") struct RealLifeNegotiationTests {
        /// The expected answer to an offer.
        struct Expectation: Sendable, CustomTestStringConvertible {
            let sample: SDPSamples.Sample
            /// By m-line: the chosen payload type and the direction; nil: port 0.
            let mLines: [(payloadType: Int, direction: MediaDirection)?]
            var testDescription: String { sample.peer }
        }

        private static let expectations = zip(
            SDPSamples.offers,
            [
                [(111, .sendrecv), (96, .sendrecv)], [(111, .sendrecv), (96, .sendrecv)],
                [(109, .sendrecv), (120, .sendrecv)], [nil, (111, .sendrecv), (96, .sendrecv), nil],
                [(96, .sendrecv), (97, .sendrecv), nil], [(111, .sendrecv), (96, .sendrecv)],
                [(111, .recvonly), (96, .recvonly), nil],
            ] as [[(payloadType: Int, direction: MediaDirection)?]]
        ).map { Expectation(sample: $0, mLines: $1) }

        @Test("The answer to each peer's offer has its first supported codec", arguments: expectations)
        func offers(expectation: Expectation) async throws {
            let peer = try await TestEngine.peer(videoCodecs: [.vp8, .h264])
            let answer = try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: expectation.sample.sdp))
            let read = try RemoteDescription(answer)
            var used = read.sections[...]
            for (index, expected) in expectation.mLines.enumerated() {
                guard let expected else {
                    #expect(read.refused.contains { $0.index == index })
                    continue
                }
                let section = try #require(used.first)
                used = used.dropFirst()
                #expect(section.formats.first?.payloadType == expected.payloadType)
                #expect(section.direction == expected.direction)
            }
            #expect(used.isEmpty && read.mLineCount == expectation.mLines.count)
            await peer.close()
        }

        @Test("Each peer's answer to our offer is accepted and sets the directions", arguments: SDPSamples.answers)
        func answers(sample: SDPSamples.Sample) async throws {
            let peer = try await TestEngine.peer()
            _ = try await peer.createOffer()
            try await peer.setAnswer(SessionDescription(kind: .answer, sdp: sample.sdp))
            let video: MediaDirection =
                switch sample.peer {
                case "Firefox": .sendonly
                case "Safari": .inactive
                case "Janus": .sendonly
                default: .sendrecv
                }
            let audio: MediaDirection = sample.peer == "Janus" ? .sendonly : .sendrecv
            #expect(await peer.directions == [.audio: audio, .video: video])
            let bandwidth = await peer.remote?.sections.map(\.bandwidthKbit)
            #expect(bandwidth == (sample.peer == "Janus" ? [nil, 512] : [nil, nil]))
            await peer.close()
        }
    }
}
