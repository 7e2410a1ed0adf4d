import Testing

extension Peers {
    /// A browser estimates the bandwidth towards the agent by the agent's reports on its packets.
    @Suite struct BandwidthTests {
        /// Shows the browser's estimate in `window.estimate`, in bit/s.
        private static let showEstimate = """
            const Connection = window.RTCPeerConnection;
            let connection;
            window.RTCPeerConnection = class extends Connection {
              constructor(...options) { super(...options); connection = this; }
            };
            setInterval(async () => {
              const entries = connection ? (await connection.getStats()).values() : [];
              for (const entry of entries) {
                window.estimate = entry.availableOutgoingBitrate ?? window.estimate;
              }
            }, 100);
            """

        // Without reports it is 325 kbit/s at first, and grows by 8 % a second. Firefox does not show its estimate.
        @Test("Chromium's estimate is over 1 Mbit/s after a few seconds, whoever calls", arguments: [true, false])
        func estimate(agentCalls: Bool) async throws {
            let server = try await CallServer()
            let bob = agentCalls ? nil : try await server.listen("bob", ["--answer", "0s"])
            try await withBrowser(.chromium) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await browser.perform(Self.showEstimate)
                let caller = agentCalls ? try server.call("alice", as: "bob", ["--events", "--duration", "10m"]) : nil
                if agentCalls {
                    try await alice.waitForRing()
                    try await alice.click("#accept")
                } else {
                    try await alice.call("bob")
                }
                try await alice.waitForState("connected")
                try await alice.until("an estimate", "window.estimate > 1_000_000", within: .seconds(5))
                try await alice.seeMotion()
                try await alice.click("#hang-up")
                #expect(try await alice.waitForEnd() == "localHangup")
                withExtendedLifetime((bob, caller)) {}
            }
        }
    }
}
