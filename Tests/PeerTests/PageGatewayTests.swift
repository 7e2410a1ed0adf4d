import Foundation
import TestServers
import Testing

extension Peers {
    /// Servers that share a broker: a browser at one of them, agents elsewhere.
    @Suite struct PageGatewayTests {
        @Test("A browser at one server calls agents at another one, and is called by one at the broker")
        func calls() async throws {
            let broker = try await MQTTBroker()
            let servers = [
                try await CallServer(["--broker", broker.url]), try await CallServer(["--broker", broker.url]),
            ]
            let carol = try await servers[1].listen("carol", ["--answer", "0s"] + Program.tellsMoments)
            try await withBrowser(.chromium) { browser in
                let alice = try await PageUser(browser, servers[0], as: "alice")
                try await alice.call("carol")
                try await alice.waitForState("connected")
                try await alice.seeVideo("colour bars") { $0.isSMPTE }
                try await alice.seeMotion()
                try await carol.perceives(.everything)
                try await alice.click("#hang-up")
                _ = try await carol.report()

                let bob = try Program(
                    ["call", "alice", "--as", "bob", "--signaling", broker.url, "--ice-interface", "127.0.0.1"]
                        + ["--video", "test:smpte", "--audio", "tone:440", "--events", "--duration", "10m"]
                        + Program.tellsMoments)
                try await alice.waitForRing()
                try await alice.click("#accept")
                try await alice.waitForState("connected")
                try await alice.seeVideo("colour bars") { $0.isSMPTE }
                try await alice.seeMotion()
                try await bob.receives(frames: 40, secondsOfAudio: 0)
                bob.signal(SIGINT)
                #expect(try await bob.waitForExit() == 130, "\(bob.errors)")
            }
        }
    }
}
