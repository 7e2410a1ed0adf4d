import Testing

@testable import MediaEngine

/// The connectivity checks that libnice does not make itself.
struct ConnectivityCheckTests {
    /// The attributes of a STUN message by their types (RFC 8489 section 14).
    private func attributes(of message: [UInt8]) -> [Int: [UInt8]] {
        var (attributes, position): ([Int: [UInt8]], Int) = ([:], 20)
        while position + 4 <= message.count {
            let type = Int(message[position]) << 8 | Int(message[position + 1])
            let length = Int(message[position + 2]) << 8 | Int(message[position + 3])
            attributes[type] = Array(message[(position + 4)..<min(message.count, position + 4 + length)])
            position += 4 + (length + 3) / 4 * 4
        }
        return attributes
    }

    @Test("A check has the role, the priority and the credentials of the pair", arguments: [true, false])
    func contents(isControlling: Bool) async throws {
        _ = try await TestEngine.shared()
        let agent = try NiceAgent(.loopback, addresses: ["127.0.0.1"])
        agent.setControlling(isControlling)
        let own = try #require(agent.localCredentials)
        let check = try #require(
            agent.connectivityCheck(
                priority: 0x7d00_0007, tieBreaker: 0x0102_0304_0506_0708, peerFragment: "peer",
                peerPassword: "the password of the peer"))
        // A binding request with the magic cookie, whose length is right.
        #expect(Array(check[0..<2]) == [0, 1] && Array(check[4..<8]) == [0x21, 0x12, 0xa4, 0x42])
        #expect(Int(check[2]) << 8 | Int(check[3]) == check.count - 20)
        let attributes = attributes(of: check)
        #expect(attributes[0x0006] == Array("peer:\(own.fragment)".utf8))
        #expect(attributes[0x0024] == [0x7d, 0, 0, 7])
        // ICE-CONTROLLING and ICE-CONTROLLED; the controlling end nominates.
        #expect(attributes[isControlling ? 0x802a : 0x8029] == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(attributes[isControlling ? 0x8029 : 0x802a] == nil)
        #expect((attributes[0x0025] != nil) == isControlling)
        // MESSAGE-INTEGRITY and FINGERPRINT.
        #expect(attributes[0x0008]?.count == 20 && attributes[0x8028]?.count == 4)
    }
}

extension RealPipelines {
    @Suite("The roles of ICE") struct IceRoleTests {
        @Test("The end that offers is the controlling one, and the other one is not")
        func roles() async throws {
            try await withCall { call in
                try await call.connect()
                #expect(await call.caller.peer.media?.ice.isControlling == true)
                #expect(await call.callee.peer.media?.ice.isControlling == false)
            }
        }
    }
}
