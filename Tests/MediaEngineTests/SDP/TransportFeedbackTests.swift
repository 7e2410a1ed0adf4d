import Testing

@testable import MediaEngine

@Suite("Reports on the packets of a transport") struct TransportFeedbackTests {
    private static let uri = TransportFeedback.extensionURI

    /// An offer whose audio and video have lines of their own.
    private func offer(audio: [String], video: [String]) -> String {
        let parts = SDPSamples.offer.components(of: "m=video")
        let lines = [audio, video].map { $0.map { $0 + "\r\n" }.joined() }
        return parts[0] + lines[0] + "m=video" + parts[1] + lines[1]
    }

    @Test(
        "The id of the extension is read; one for a single direction, and anything else, is ignored",
        arguments: [
            ("a=extmap:5 \(uri)", 5), ("a=extmap:14 \(uri)", 14), ("a=extmap:5/recvonly \(uri)", nil),
            ("a=extmap:0 \(uri)", nil),
            ("a=extmap:15 \(uri)", nil), ("a=extmap:-1 \(uri)", nil), ("a=extmap:5 \(uri)-02", nil),
            ("a=extmap:5", nil), ("a=extmap:/ \(uri)", nil), ("a=extmap:// \(uri)", nil), ("a=extmap:/5 \(uri)", nil),
            ("a=extmap:5/ \(uri)", nil), ("a=extmap:5/sendrecv \(uri)", 5), ("a=extmap:5/sendrecv/ \(uri)", nil),
            ("a=extmap: \(uri)", nil), ("a=extmap:99999999999999999999 \(uri)", nil),
        ] as [(String, Int?)])
    func id(line: String, id: Int?) throws {
        let description = try SDPSamples.read(offer(audio: [line], video: []))
        #expect(description.sections.map(\.transportSequenceId) == [id, nil])
        #expect(description.normalised.sdp.contains("extmap") == (id != nil))
    }

    @Test("A transport has one numbering: m-lines with another id do without")
    func oneId() throws {
        let feedback = ["a=rtcp-fb:111 transport-cc", "a=rtcp-fb:96 transport-cc"]
        let text = offer(
            audio: ["a=extmap:4 \(Self.uri)", feedback[0]], video: ["a=extmap:5 \(Self.uri)", feedback[1]])
        let description = try SDPSamples.read(text)
        let (audio, none) = (description.numberingPackets(by: 4), description.numberingPackets(by: nil))
        #expect(audio.sections.map(\.transportSequenceId) == [4, nil])
        #expect(audio.sections.map { $0.formats[0].feedback.contains("transport-cc") } == [true, false])
        #expect(none.sections.map(\.transportSequenceId) == [nil, nil])
        #expect(!none.normalised.sdp.contains("transport-cc"))
    }
}

extension RealPipelines {
    @Suite("Reports on the packets of a transport, negotiated") struct TransportFeedbackNegotiationTests {
        private static let uri = TransportFeedback.extensionURI

        private func lines(_ description: SessionDescription) -> [String] {
            description.sdp.components(of: "\r\n").filter { $0.contains(Self.uri) || $0.contains("transport-cc") }
        }

        private func options() -> LoopbackCall.Options {
            var options = LoopbackCall.Options()
            options.tuning.sendsTransportFeedback = true
            return options
        }

        @Test("An offer has them for every codec, and an answer under the number of the offer")
        func negotiated() async throws {
            try await withCall(options()) { call in
                let offer = try await call.caller.peer.createOffer()
                #expect(lines(offer).count { $0 == "a=extmap:3 \(Self.uri)" } == 2)
                for payloadType in [111, 96] {
                    #expect(lines(offer).contains("a=rtcp-fb:\(payloadType) transport-cc"))
                }
                let renumbered = SessionDescription(
                    kind: .offer, sdp: offer.sdp.replacing("a=extmap:3 ", by: "a=extmap:9 "))
                let answer = try await call.callee.peer.createAnswer(to: renumbered)
                #expect(
                    lines(answer) == [
                        "a=rtcp-fb:111 transport-cc", "a=extmap:9 \(Self.uri)", "a=rtcp-fb:96 transport-cc",
                        "a=extmap:9 \(Self.uri)",
                    ])
            }
        }

        @Test("An end that sends no reports neither offers nor accepts them")
        func off() async throws {
            try await withCall(
                {
                    var options = options()
                    options.configureCallee = { $0.tuning.sendsTransportFeedback = false }
                    return options
                }()
            ) { call in
                let offer = try await call.caller.peer.createOffer()
                #expect(!lines(offer).isEmpty)
                let answer = try await call.callee.peer.createAnswer(to: offer)
                #expect(lines(answer) == [])
            }
        }
    }
}
