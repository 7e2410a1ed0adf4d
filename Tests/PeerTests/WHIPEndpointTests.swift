import Foundation
import TestServers
import Testing

extension Peers {
    /// `callagent listen` as a media server, with clients of other implementations.
    @Suite struct WHIPEndpointTests {
        @Test(
            "A client watches the agent, and its DELETE ends the call", arguments: MediaClient.Implementation.allCases)
        func watched(implementation: MediaClient.Implementation) async throws {
            let endpoint = try await MediaEndpoint()
            let viewer = try await MediaClient(implementation, .play, endpoint.url)
            try await viewer.receivesEverything()
            try await viewer.end()
            try await viewer.expectTestMedia()
            try await eventually("the call is over") { endpoint.reports.count == 1 }
            let report = try #require(endpoint.reports.first)
            #expect(report.text("end.reason") == "remoteHangup" && report.text("peer") == "guest")
            #expect(report.number("video.received.packetsReceived") == 0)
            #expect(!endpoint.program.errors.contains("warning"))
        }

        @Test(
            "A client sends to the agent, which sends nothing although the offer asks for it",
            arguments: MediaClient.Implementation.allCases)
        func received(implementation: MediaClient.Implementation) async throws {
            let endpoint = try await MediaEndpoint(["--once", "--require-media"])
            let publisher = try await MediaClient(implementation, .publish, endpoint.url)
            try await endpoint.program.perceives(.everything)
            try await publisher.end()
            try publisher.expectNothing()
            #expect(try await endpoint.program.waitForExit() == 0, "\(endpoint.program.errors)")
            let report = try #require(endpoint.reports.first)
            #expect(report.hears(660) && report.number("video.received.distinctFrames") ?? 0 > 10)
            #expect(report.number("video.received.frameWidth") == 320)
            #expect(report.number("video.sent.packetsSent") == 0 && report.number("audio.sent.packetsSent") == 0)
        }

        @Test("Another network path is found when a client asks for it", arguments: MediaClient.Role.allCases)
        func iceRestart(role: MediaClient.Role) async throws {
            let endpoint = try await MediaEndpoint(["--once", "--require-media"])
            let client = try await MediaClient(.pion, role, endpoint.url)
            func flows() async throws {
                switch role {
                case .publish: try await endpoint.program.perceives(.everything)
                case .play: try await client.receivesEverything()
                }
            }
            try await flows()
            try await client.restartICE()
            let path = try await endpoint.program.event(["event": "networkChangeEnded"])
            #expect((path["networkChange"] as? [String: Any])?["after"] is [String: Any])
            try await flows()
            try await client.end()
            #expect(try await endpoint.program.waitForExit() == 0, "\(endpoint.program.errors)")
        }

        @Test(
            "A browser sends or watches with a token, and finds another network path", arguments: BrowserKind.allCases)
        func browser(kind: BrowserKind) async throws {
            let endpoint = try await MediaEndpoint(["--allow", "room"], hasTokens: true)
            // A page of another server, which has no rule against such requests.
            let other = try await MediaEndpoint(["--answer", "never"])
            for (number, role) in ["whep", "whip"].enumerated() {
                try await withBrowser(kind) { browser in
                    let client = try await BrowserMediaClient(browser, page: other.url)
                    let token = try await endpoint.token(for: "room")
                    #expect(try await client.open(endpoint.url, role, token: token) == 201)
                    if role == "whep" {
                        try await client.user.seeVideo("colour bars") { $0.isSMPTE }
                        try await client.user.hearTone(440)
                    } else {
                        try await endpoint.program.perceives(.everything)
                    }
                    #expect(try await client.ask("restart()") == 200)
                    try await eventually("another path") {
                        endpoint.program.events.count {
                            ($0["networkChange"] as? [String: Any])?["after"] is [String: Any]
                        } == number + 1
                    }
                    if role == "whep" {
                        try await client.user.seeMotion()
                        try await client.user.hearTone(440)
                    } else {
                        try await endpoint.program.perceives(.everything)
                    }
                    #expect(try await client.ask("close()") == 200)
                }
                try await eventually("the call is over") {
                    endpoint.program.events.last?["event"] as? String == "report"
                }
            }
            let reports = endpoint.reports
            #expect(reports.count == 2 && reports.allSatisfy { $0.text("peer") == "room" })
            #expect(reports.first?.number("video.received.packetsReceived") == 0)
            #expect(reports.last?.number("video.sent.packetsSent") == 0)
            #expect(reports.last?.number("video.received.distinctFrames") ?? 0 > 10)
        }

        @Test("Our own client watches and sends over TLS, and says why it was refused")
        func ownClient() async throws {
            let certificate = try TestCertificate()
            let endpoint = try await MediaEndpoint(
                ["--http-tls-cert", certificate.certificate.path, "--http-tls-key", certificate.key.path]
                    + ["--allow", "camera", "--max-calls", "2"], hasTokens: true)
            let trust = ["--trust-roots", certificate.certificate.path, "--ice-interface", "127.0.0.1"]
            let token = ["--token", try await endpoint.token(for: "camera")]
            let viewer = try Program(
                ["play", endpoint.url + "/whep", "--events", "--at", "1s=restart-ice"] + trust + token)
            let path = try await viewer.event(["event": "networkChangeEnded"])
            #expect((path["networkChange"] as? [String: Any])?["after"] is [String: Any])
            let stranger = ["--token", try await endpoint.token(for: "stranger")]
            for (options, status, text) in [
                (trust, 3, "answered 401, so it wants a token"),
                (trust + ["--token", "x"], 3, "the token is no JSON Web Token"),
                (trust + stranger, 3, "answered 403, so it does not accept the token, or refuses its user: declined"),
            ] as [([String], Int32, String)] {
                let refused = try Program(["play", endpoint.url + "/whep"] + options)
                #expect(try await refused.waitForExit() == status)
                #expect(refused.errors.contains(text), "\(refused.errors)")
            }
            let publisher = try Program(
                ["publish", endpoint.url + "/whip", "--events", "--audio", "tone:660"] + trust + token)
            _ = try await publisher.event(["event": "stateChanged", "state": "connected"])
            let late = try Program(["play", endpoint.url + "/whep"] + trust + token)
            #expect(try await late.waitForExit() == 3)
            #expect(late.errors.contains("answered 503; try again after 5 s: listen is busy"), "\(late.errors)")
            for program in [viewer, publisher] {
                program.signal(SIGINT)
                #expect(try await program.waitForExit() == 130)
            }
            #expect(try await viewer.report().hears(440))
            try await eventually("both calls are over") { endpoint.reports.count == 2 }
            #expect(endpoint.reports.contains { $0.hears(660) })
        }

        @Test("A session that nobody answers in time ends with its status at both ends")
        func unanswered() async throws {
            let endpoint = try await MediaEndpoint(["--answer", "never", "--ring-timeout", "1s"])
            let viewer = try Program(["play", endpoint.url + "/whep", "--ice-interface", "127.0.0.1"])
            #expect(try await viewer.waitForExit() == 3)
            #expect(viewer.errors.contains("answered 504: nobody answered"), "\(viewer.errors)")
            try await eventually("the call is over") { endpoint.reports.count == 1 }
            #expect(endpoint.reports.first?.text("end.reason") == "ringTimeout")
        }

        @Test(
            "The end of the agent ends its calls, also that of a client that has vanished",
            arguments: MediaClient.Implementation.allCases)
        func ended(implementation: MediaClient.Implementation) async throws {
            let endpoint = try await MediaEndpoint(["--max-calls", "2"])
            let gone = try await MediaClient(implementation, .publish, endpoint.url)
            try await endpoint.program.perceives(.everything)
            gone.program.signal(SIGKILL)
            _ = try await endpoint.program.event(["event": "stateChanged", "state": "reconnecting"])
            let viewer = try await MediaClient(implementation, .play, endpoint.url)
            try await viewer.receivesEverything()
            endpoint.program.signal(SIGINT)
            #expect(try await endpoint.program.waitForExit() == 130)
            #expect(endpoint.reports.count == 2)
        }
    }
}

/// A page that is a client of a media server.
private struct BrowserMediaClient {
    /// Sees and hears what the page gets.
    let user: PageUser

    init(_ browser: any Browser, page: String) async throws {
        user = try await PageUser(browser, page: page, as: "viewer")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Peers/browser_whip.js")
        try await browser.perform(try String(contentsOf: script, encoding: .utf8))
    }

    func open(_ url: String, _ role: String, token: String) async throws -> Int {
        try await ask("open('\(url)', '\(role)', '\(token)')")
    }

    /// Calls a function of the script, which returns the status of a response.
    func ask(_ call: String) async throws -> Int {
        try await user.browser.evaluate("return await window.mediaClient.\(call)")
    }
}
