import Foundation
import TestServers
import Testing

extension Peers {
    /// The network changes during a call with a browser, between two machines of a lab.
    @Suite(.enabled(if: NetworkLab.isPossible, "network namespaces need root, iproute2 and nftables"))
    struct PeerNetworkTests {
        /// What happens at the place of alice.
        enum Change: String, CaseIterable, CustomTestStringConvertible, Sendable {
            case address = "its address is replaced"
            case router = "its router gets another address"

            var testDescription: String { rawValue }

            func happen(in lab: NetworkLab) throws {
                switch self {
                case .address: try lab.replaceAddress()
                case .router: try lab.moveRouter()
                }
            }
        }

        @Test("The agent's network changes, and the call with Chromium goes on", arguments: Change.allCases)
        func ofAgent(change: Change) async throws {
            let lab = try await BrowserLab(hasNAT: change == .router)
            try await withBrowser(.chromium, lab.browserOptions(at: .bob)) { browser in
                let bob = try await PageUser(browser, lab.server, as: "bob")
                let alice = try lab.program(["call", "bob", "--duration", "10m"], as: "alice", at: .alice)
                try await bob.waitForRing()
                try await bob.click("#accept")
                try await lab.expectMediaAcross(change, bob, alice)
                try await bob.click("#hang-up")
                #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            }
        }

        @Test("Chromium's network changes, and the call with the agent goes on", arguments: Change.allCases)
        func ofBrowser(change: Change) async throws {
            let lab = try await BrowserLab(hasNAT: change == .router)
            let bob = try lab.program(["listen", "--allow", "alice"], as: "bob", at: .bob)
            try await eventually("bob listens: \(bob.errors)") { bob.hasEvent(["event": "listening"]) }
            try await withBrowser(.chromium, lab.browserOptions(at: .alice)) { browser in
                let alice = try await PageUser(browser, lab.server, as: "alice")
                try await alice.call("bob")
                try await lab.expectMediaAcross(change, alice, bob)
                bob.signal(SIGINT)
                #expect(try await bob.waitForExit() == 130, "\(bob.errors)")
            }
        }
    }
}

/// A server, an agent and a browser on machines of a lab.
private struct BrowserLab {
    let lab: NetworkLab
    let server: CallServer
    private let stun: Program?

    init(hasNAT: Bool) async throws {
        lab = try NetworkLab(hasNAT: hasNAT)
        server = try await CallServer(
            hasNAT ? ["--stun-url", "stun:\(NetworkLab.server)"] : [], listen: "\(NetworkLab.server):8080",
            prefix: lab.prefix(at: .internet))
        guard hasNAT else {
            stun = nil
            return
        }
        let command = lab.command(at: .internet, NetworkLab.stunServer.path, NetworkLab.stunServer.arguments)
        stun = try Program(command.arguments, path: command.path)
        try await eventually("the STUN server listens") { [lab] in try lab.isStunListening() }
    }

    /// A page of the server gets camera and microphone, although its connection is not encrypted.
    func browserOptions(at place: NetworkLab.Place) -> BrowserOptions {
        BrowserOptions(prefix: lab.prefix(at: place), trustedOrigin: "http://\(NetworkLab.server):8080")
    }

    /// An agent whose media the page recognises.
    func program(_ words: [String], as user: String, at place: NetworkLab.Place) throws -> Program {
        let command = lab.command(
            at: place, Program.path,
            words + [
                "--as", user, "--signaling", server.url, "--video", "test:smpte", "--audio", "tone:440", "--events",
            ]
                + Program.tellsMoments)
        return try Program(command.arguments, path: command.path)
    }

    /// Waits for media, lets the network change, and waits for media on another path.
    func expectMediaAcross(_ change: Peers.PeerNetworkTests.Change, _ page: PageUser, _ agent: Program) async throws {
        try await page.waitForState("connected")
        try await page.hearTone(440)
        try await agent.perceives(.everything)
        let before = agent.foundPaths
        try change.happen(in: lab)
        try await eventually("another path at the agent: \(agent.errors)") { agent.foundPaths > before }
        try await page.seeMotion()
        try await page.hearTone(440)
        try await agent.perceives(.everything)
    }
}
