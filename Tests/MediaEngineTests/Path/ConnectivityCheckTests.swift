import Testing

@testable import MediaEngine

/// The connectivity checks that libnice does not make itself.
struct ConnectivityCheckTests {
    @Test("A check has the role, the priority and the credentials of the pair", arguments: [true, false])
    func contents(isControlling: Bool) async throws {
        _ = try await TestEngine.shared()
        let agent = try NiceAgent(.loopback, addresses: ["127.0.0.1"])
        agent.setControlling(isControlling)
        let own = try #require(agent.localCredentials)
        let packet = try #require(
            agent.connectivityCheck(
                priority: 0x7d00_0007, tieBreaker: 0x0102_0304_0506_0708, peerFragment: "peer",
                peerPassword: "the password of the peer"))
        let check = try #require(StunMessage(packet))
        #expect(check.isRequest)
        #expect(check[0x0006] == Array("peer:\(own.fragment)".utf8))
        #expect(check[0x0024] == [0x7d, 0, 0, 7])
        // ICE-CONTROLLING and ICE-CONTROLLED; the controlling end nominates.
        #expect(check[isControlling ? 0x802a : 0x8029] == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(check[isControlling ? 0x8029 : 0x802a] == nil)
        #expect((check[0x0025] != nil) == isControlling)
        // MESSAGE-INTEGRITY and FINGERPRINT.
        #expect(check[0x0008]?.count == 20 && check[0x8028]?.count == 4)
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
