import Testing

@testable import SignalingServer

/// The server's rules for addresses and host names.
struct ServerAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("2001:db8::1", "2001:db8:0:0:0:0:0:1"), ("::", "0:0:0:0:0:0:0:0"), ("::1", "0:0:0:0:0:0:0:1"),
        ("1::", "1:0:0:0:0:0:0:0"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("FE80::ABCD", "fe80:0:0:0:0:0:0:abcd"),
        ("1:2:3:4:5:6:192.0.2.1", "1:2:3:4:5:6:c000:201"), ("64:ff9b::192.0.2.1", "64:ff9b:0:0:0:0:c000:201"),
        ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:201", "192.0.2.1"),
    ])
    func anAddressIsRead(text: String, shown: String) {
        #expect(IPAddress(text).map { "\($0)" } == shown)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.-4", "1.2.3.04", "01.2.3.4", "1.2.3.", "a.b.c.d", " 1.2.3.4",
        "1.2.3.4 ",
        "+1.2.3.4", ":", ":::", "::1::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "12345::", "g::",
        "+1::", "::1%lo",
        "[::1]", "1.2.3.4::", "::1.2.3", "localhost", "١.٢.٣.٤", String(repeating: ":", count: 10_000),
    ])
    func whatIsNoAddressIsNotRead(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.1.2", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
        ("::", false), ("::2", false), ("1::1", false), ("0.0.0.0", false),
    ])
    func loopbackIsKnown(text: String, isLoopback: Bool) {
        #expect(IPAddress(text)?.isLoopback == isLoopback)
    }

    @Test func theAddressesOfOneCustomerAreOneSite() {
        func isOneSite(_ left: String, _ right: String) -> Bool { IPAddress(left)?.site == IPAddress(right)?.site }
        #expect(isOneSite("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"))
        #expect(!isOneSite("2001:db8:1:2::1", "2001:db8:1:3::1"))
        #expect(!isOneSite("192.0.2.1", "192.0.2.2"))
        #expect(isOneSite("192.0.2.1", "::ffff:192.0.2.1"))
        #expect(!isOneSite("::ffff:192.0.2.1", "::ffff:192.0.2.2"))
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("192.0.2.0/24", "192.0.2.255", true),
        ("192.0.2.0/24", "192.0.3.0", false), ("192.0.2.9/31", "192.0.2.8", true),
        ("192.0.2.9/31", "192.0.2.10", false),
        ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false), ("::/0", "::1", true), ("::/0", "8.8.8.8", false),
        ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
        ("127.0.0.0/8", "::ffff:127.0.0.9", true),
    ])
    func aBlockHasTheAddressesThatBeginAlike(block: String, address: String, isIn: Bool) throws {
        #expect(try #require(AddressBlock(block)).contains(#require(IPAddress(address))) == isIn)
    }

    @Test(arguments: [
        "", "/", "a/8", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/", "192.0.2.0/8/8", "::/129", "localhost",
    ])
    func whatIsNoBlockIsNotRead(text: String) {
        #expect(AddressBlock(text) == nil)
    }

    @Test func aServerGoesByWhatItListensOnAndWhatItWasTold() {
        let hosts = HostNames(
            listening: "Calls.example.org", allowed: ["other.example.org", "192.0.2.9", "[2001:db8::9]"], hasTLS: false)
        let local = IPAddress("192.0.2.1")
        for own in [
            "calls.example.org", "CALLS.example.org:8443", "calls.example.org.", "other.example.org", "192.0.2.9:1",
            "192.0.2.1",
            "[2001:db8:0::9]:1", "[::ffff:192.0.2.1]", "localhost", "x.localhost:8080", "127.9.9.9", "[::1]:8080",
        ] { #expect(hosts.contains(own, local: local), "\(own)") }
        for foreign in [
            nil, "", "example.org", "xcalls.example.org", "calls.example.org.evil", "192.0.2.2", "xlocalhost", "::2",
            "a b",
        ] {
            #expect(!hosts.contains(foreign, local: local), "\(foreign ?? "none")")
        }
        #expect(!HostNames(listening: "0.0.0.0", allowed: [], hasTLS: false).contains("0.0.0.0", local: local))
    }

    @Test("With TLS every host name is accepted, since the browser has compared it with the certificate")
    func tls() {
        #expect(HostNames(listening: "::", allowed: [], hasTLS: true).contains("calls.example.org", local: nil))
    }

    @Test(arguments: [
        // Without a proxy.
        ("192.0.2.7", [], false, "192.0.2.7", false), ("127.0.0.1", [], false, "127.0.0.1", true),
        // The header of an untrusted proxy is ignored, but the client loses the rights of this machine.
        ("192.0.2.7", ["198.51.100.1"], true, "192.0.2.7", false),
        ("127.0.0.1", ["127.0.0.1"], true, "127.0.0.1", false),
        ("127.0.0.1", [], true, "127.0.0.1", false),
        // A trusted proxy appended the address of its client. The client may have forged the entries before it.
        ("127.0.0.9", ["198.51.100.1"], true, "198.51.100.1", false),
        ("127.0.0.9", ["127.0.0.1"], true, "127.0.0.1", false),
        ("127.0.0.9", ["203.0.113.1", "198.51.100.1"], true, "198.51.100.1", false),
        // Several trusted proxies.
        ("127.0.0.9", ["203.0.113.1", "198.51.100.1", "10.1.2.3"], true, "198.51.100.1", false),
        ("10.0.0.1", ["10.0.0.2", "10.0.0.3"], true, "10.0.0.2", false),
        ("::ffff:10.0.0.1", ["2001:db8::1"], true, "2001:db8::1", false),
        // For an invalid or missing entry the last valid address counts.
        ("127.0.0.9", [], false, "127.0.0.9", false), ("127.0.0.9", ["unknown"], true, "127.0.0.9", false),
        ("127.0.0.9", ["198.51.100.1", "", "10.1.2.3"], true, "10.1.2.3", false),
        // Some proxies write a port.
        ("127.0.0.9", ["198.51.100.1:4711"], true, "198.51.100.1", false),
        ("127.0.0.9", ["[2001:db8::1]:4711"], true, "2001:db8::1", false),
    ])
    func aClientIsTheLastHopThatIsNoTrustedProxy(
        peer: String, hops: [String], isForwarded: Bool, address: String, isLocal: Bool
    ) {
        let client = ClientAddress(
            peer: IPAddress(peer), hops: hops, isForwarded: isForwarded,
            trusted: ["127.0.0.9", "10.0.0.0/8"].compactMap { AddressBlock($0) })
        #expect(client.address == IPAddress(address) && client.isLocal == isLocal)
    }
}
