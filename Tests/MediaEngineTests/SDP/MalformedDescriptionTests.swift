import Testing

@testable import MediaEngine

@Suite("A malformed description") struct MalformedDescriptionTests {
    /// A defect, the description with it, a part of the error message, and the reported line.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let sdp: String
        let says: String
        let line: Int?

        init(_ what: String, _ sdp: String, says: String, line: Int? = nil) {
            testDescription = what
            self.sdp = sdp
            self.says = says
            self.line = line
        }
    }

    private static let other = SDPSamples.fingerprint.replacing("7B:", by: "7C:")

    static let session = [
        Case("nothing", "", says: "does not begin with v=0", line: 1),
        Case("no version", SDPSamples.offer(without: "v="), says: "does not begin with v=0", line: 1),
        Case("another version", SDPSamples.offer("v=0", "v=1", only: 0), says: "does not begin with v=0", line: 1),
        Case("no origin", SDPSamples.offer(without: "o="), says: "no o= line"),
        Case("a short origin", SDPSamples.offer(" IN IP4 127.0.0.1\r\ns", "\r\ns"), says: "o= line", line: 2),
        Case("an origin without numbers", SDPSamples.offer("4611731400430051336", "x"), says: "o= line", line: 2),
        Case("an origin with a gap", SDPSamples.offer("o=- ", "o=-  "), says: "o= line", line: 2),
        Case("no m-line", SDPSamples.offer.components(of: "m=audio")[0], says: "no m-line of audio or video"),
        Case("no bundle", SDPSamples.offer(without: "a=group"), says: "does not bundle"),
        Case("a bundle of one", SDPSamples.offer("BUNDLE 0 1", "BUNDLE 0"), says: "BUNDLE group", line: 5),
        Case("a bundle with a stranger", SDPSamples.offer("BUNDLE 0 1", "BUNDLE 0 1 2"), says: "BUNDLE group", line: 5),
        Case(
            "two bundles", SDPSamples.offer("a=group:BUNDLE 0 1", "a=group:BUNDLE 0\r\na=group:BUNDLE 1"),
            says: "two BUNDLE groups", line: 6),
        Case("a line without =", SDPSamples.offer("s=-", "s"), says: "not of the form 'x=…'", line: 3),
        Case("a line of an upper case type", SDPSamples.offer("s=-", "S=-"), says: "not of the form 'x=…'", line: 3),
        Case("a NUL", SDPSamples.offer("s=-", "s=\0"), says: "printable", line: 3),
        Case("an escape character", SDPSamples.offer("s=-", "s=\u{1B}[2J"), says: "printable", line: 3),
        Case("a lone CR", SDPSamples.offer("s=-", "s=a\rb"), says: "printable", line: 3),
        Case("an accent on the type", SDPSamples.offer("s=-", "s\u{301}=-"), says: "not of the form", line: 3),
        Case("an accent on the =", SDPSamples.offer("s=-", "s=\u{301}-"), says: "not of the form", line: 3),
    ]

    static let media = [
        Case("nothing but a refused m-line", SDPSamples.offer("m=", "m=x"), says: "no m-line of audio or video"),
        Case("a port too high", SDPSamples.offer("m=video 9", "m=video 65536"), says: "not of the form 'm=", line: 19),
        Case("no port", SDPSamples.offer("m=video 9", "m=video x"), says: "not of the form 'm=", line: 19),
        Case("no payload type", SDPSamples.offer(" 96 102", ""), says: "not of the form 'm=", line: 19),
        Case("a medium with an accent", SDPSamples.offer("m=video", "m=vidéo"), says: "not of the form 'm=", line: 19),
        Case(
            "a mid of an unused m-line", SDPSamples.offer("m=video", "m=x").replacing("mid:1", by: "mid:a b"),
            says: "mid is no token", line: 19),
        Case("no encryption", SDPSamples.offer("UDP/TLS/RTP/SAVPF 96", "RTP/AVP 96"), says: "protocol", line: 19),
        Case("the same mid", SDPSamples.offer("a=mid:1", "a=mid:0"), says: "same mid"),
        Case("no mid", SDPSamples.offer(without: "a=mid:1"), says: "no a=mid", line: 19),
        Case("an empty mid", SDPSamples.offer("a=mid:1", "a=mid:"), says: "mid is no token", line: 19),
        Case("a mid with a space", SDPSamples.offer("a=mid:1", "a=mid:a b"), says: "mid is no token", line: 19),
        Case("a mid with an accent", SDPSamples.offer("a=mid:1", "a=mid:é"), says: "mid is no token", line: 19),
        Case("no rtcp-mux", SDPSamples.offer(without: "a=rtcp-mux"), says: "rtcp-mux", line: 6),
        Case("payload 128", SDPSamples.offer(" 96 102", " 96 128"), says: "'128' is no payload type", line: 19),
        Case("payload x", SDPSamples.offer(" 96 102", " 96 x"), says: "'x' is no payload type", line: 19),
        Case("a payload type twice", SDPSamples.offer(" 96 102", " 96 96"), says: "used twice"),
        Case("one payload type in two m-lines", SDPSamples.offer("96", "111"), says: "used twice"),
        Case("no rtpmap", SDPSamples.offer(without: "a=rtpmap:111"), says: "payload type with a rtpmap", line: 6),
        Case("a rtpmap without rate", SDPSamples.offer("opus/48000/2", "opus"), says: "with a rtpmap", line: 6),
        Case("a rtpmap with a space", SDPSamples.offer("opus/48", "opus /48"), says: "rtpmap of 111", line: 6),
        Case("a rtpmap with an accent", SDPSamples.offer("opus/48", "öpus/48"), says: "rtpmap of 111", line: 6),
    ]

    static let transport = [
        Case("no ufrag", SDPSamples.offer(without: "a=ice-ufrag"), says: "no a=ice-ufrag", line: 6),
        Case("a short ufrag", SDPSamples.offer("4ZcD", "4Zc"), says: "a=ice-ufrag is malformed", line: 6),
        Case("a ufrag with a dash", SDPSamples.offer("4ZcD", "4Z-D"), says: "a=ice-ufrag is malformed", line: 6),
        Case("no password", SDPSamples.offer(without: "a=ice-pwd"), says: "no a=ice-pwd", line: 6),
        Case("a short password", SDPSamples.offer("RHlbc", ""), says: "a=ice-pwd is malformed", line: 6),
        Case("no fingerprint", SDPSamples.offer(without: "a=fingerprint"), says: "no a=fingerprint", line: 6),
        Case("an unknown digest", SDPSamples.offer("sha-256", "md5"), says: "fingerprint is malformed", line: 6),
        Case("a short fingerprint", SDPSamples.offer(":19:08", ":19"), says: "fingerprint is malformed", line: 6),
        Case("the wrong digest", SDPSamples.offer("sha-256", "sha-1"), says: "fingerprint is malformed", line: 6),
        Case("no digits", SDPSamples.offer(":19:08", ":19:G8"), says: "fingerprint is malformed", line: 6),
        Case("wide digits", SDPSamples.offer(":19:08", ":19:０８"), says: "fingerprint is malformed", line: 6),
        Case(
            "two fingerprints", SDPSamples.offer(SDPSamples.fingerprint, other, only: 1), says: "different fingerprints"
        ),
        Case("no setup", SDPSamples.offer(without: "a=setup"), says: "no a=setup", line: 6),
        Case("holdconn", SDPSamples.offer("actpass", "holdconn"), says: "a=setup is none of", line: 6),
        Case("an answer's setup", SDPSamples.offer("actpass", "active"), says: "a=setup:active does not suit an offer"),
        Case("a candidate", SDPSamples.offer("typ host", "typ guest", only: 1), says: "ICE candidate", line: 34),
    ]

    @Test("is refused with the reason and the line", arguments: session + media + transport)
    func isRefused(example: Case) {
        do throws(MediaError) {
            _ = try SDPSamples.read(example.sdp)
            Issue.record("it was accepted")
        } catch {
            guard case .invalidSDP(let line, let text) = error else {
                Issue.record("failed otherwise: \(error)")
                return
            }
            #expect(text.contains(example.says), "says: \(text)")
            #expect(line == example.line)
        }
    }

    @Test("The sample without a defect is accepted")
    func sampleIsAccepted() throws {
        #expect(try SDPSamples.read(SDPSamples.offer).sections.map(\.kind) == [.audio, .video])
        #expect(try SDPSamples.read(SDPSamples.answer, as: .answer).sections.map(\.setup) == ["active", "active"])
    }

    @Test("An answer with a=setup:actpass is refused")
    func answerHasToChoose() {
        #expect(throws: MediaError.invalidSDP(line: nil, text: "a=setup:actpass does not suit an answer")) {
            try SDPSamples.read(SDPSamples.offer, as: .answer)
        }
    }

    @Test("An answer with other m-lines than the offer's is refused")
    func answerHasToFit() throws {
        let answer = try SDPSamples.read(SDPSamples.answer, as: .answer)
        try answer.check(asAnswerTo: [.audio, .video], withData: false)
        let others: [[MediaKind]] = [[.audio], [.video], [.video, .audio], []]
        for offered in others {
            #expect(
                throws: MediaError.invalidSDP(line: nil, text: "the m-lines of the answer are not those of the offer")
            ) {
                try answer.check(asAnswerTo: offered, withData: false)
            }
        }
    }
}
