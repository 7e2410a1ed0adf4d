import Testing

@testable import MediaEngine

@Suite("An ICE candidate") struct IceCandidateTests {
    @Test(
        "is accepted in the forms that peers send",
        arguments: [
            "", "candidate:1 1 UDP 2015364095 127.0.0.1 32796 typ host",
            "candidate:1467250027 1 udp 2122260223 192.0.2.5 51472 typ host generation 0 ufrag EsAw network-id 1",
            "candidate:1 2 tcp 1518280447 192.0.2.5 9 typ host tcptype active",
            "candidate:4+/a 1 UDP 1 2001:db8::1 65535 typ srflx raddr 0.0.0.0 rport 0",
            "candidate:1 1 UDP 4294967295 192.0.2.5 0 typ prflx raddr 192.0.2.6 rport 1",
            "candidate:1 1 UDP 1 192.0.2.5 1 typ relay raddr 192.0.2.6 rport 1",
            "candidate:1 1 UDP 2113937151 0b5c7a3e-2e9d-4f0a-9d3c-6a1f2b3c4d5e.local 51472 typ host",
            "candidate:1 1 UDP 1 turn.example.org 9 typ relay",
        ])
    func isAccepted(text: String) throws { try IceCandidate(mLine: 0, candidate: text).check() }

    @Test(
        "is refused when its grammar is broken",
        arguments: [
            ("candidate:1 1 UDP 1 127.0.0.1 9 typ", "not of the form"), ("candidate", "not of the form"),
            (" ", "not of the form"), ("a=candidate:1 1 UDP 1 127.0.0.1 9 typ host", "not of the form"),
            ("candidate:1  1 UDP 1 127.0.0.1 9 typ host", "not of the form"),
            ("candidate:1 1 TCP 1 127.0.0.1 9 typ host", "without a tcptype"),
            ("candidate:1 1 UDP 1 127.0.0.1 9 type host", "not of the form"),
            ("candidate:\(String(repeating: "f", count: 33)) 1 UDP 1 127.0.0.1 9 typ host", "not of the form"),
            ("candidate:1 0 UDP 1 127.0.0.1 9 typ host", "out of range"),
            ("candidate:1 3 UDP 1 127.0.0.1 9 typ host", "out of range"),
            ("candidate:1 1 UDP -1 127.0.0.1 9 typ host", "out of range"),
            ("candidate:1 1 UDP 4294967296 127.0.0.1 9 typ host", "out of range"),
            ("candidate:1 1 UDP 1 127.0.0.1 65536 typ host", "out of range"),
            ("candidate:1 1 UDP 1  9 typ host", "out of range"),
            ("candidate:1 1 UDP 1 a_b.local 9 typ host", "neither an IP address nor a name"),
            ("candidate:1 1 SCTP 1 127.0.0.1 9 typ host", "neither UDP nor TCP"),
            ("candidate:1 1 UDP 1 127.0.0.1 9 typ guest", "unknown type"),
            ("candidate:1 1 UDP 1 127.0.0.1 9 typ host\r\na=x", "not ASCII"),
            ("candidate:1 1 UDP 1 127.0.0.1 9 typ host\0", "not ASCII"),
            ("candidate:1 1 UDP 1 ëxample 9 typ host", "not ASCII"),
        ])
    func isRefused(text: String, says: String) {
        do throws(MediaError) {
            try IceCandidate(mLine: 0, candidate: text).check()
            Issue.record("it was accepted")
        } catch {
            guard case .invalidCandidate(let reason) = error else {
                Issue.record("failed otherwise: \(error)")
                return
            }
            #expect(reason.contains(says))
        }
    }

    @Test("has at most 512 bytes")
    func length() throws {
        let start = "candidate:1 1 UDP 1 127.0.0.1 9 typ host ext "
        let longest = start + String(repeating: "x", count: 512 - start.utf8.count)
        try IceCandidate(mLine: 0, candidate: longest).check()
        #expect(throws: MediaError.invalidCandidate(text: "longer than 512 bytes, or not ASCII")) {
            try IceCandidate(mLine: 0, candidate: longest + "x").check()
        }
    }

    @Test("Its foundation has at most 32 characters")
    func foundation() throws {
        let foundation = String(repeating: "f", count: 32)
        try IceCandidate(mLine: 0, candidate: "candidate:\(foundation) 1 UDP 1 127.0.0.1 9 typ host").check()
    }
}
