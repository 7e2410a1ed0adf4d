import Testing

@testable import MediaEngine

@Suite("Local descriptions") struct LocalDescriptionTests {
    @Test("The names of streams are removed from all sections, and nothing else is")
    func unnamed() {
        let section = "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=ssrc-group:FID 7 70\r\n"
        let text = "v=0\r\n\(section)a=ssrc:7 cname:x\r\na=ssrc:7 msid:a b\r\n\(section)a=ssrc:70 cname:x\r\n"
        var local = LocalDescription(SessionDescription(kind: .answer, sdp: text))
        local.removeSources()
        #expect(local.description == SessionDescription(kind: .answer, sdp: "v=0\r\n\(section)\(section)"))
    }
}
