import TestServers
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Calls through a TURN server over TLS") struct SecureTurnTests {
        private static func options(
            _ url: String, trusting roots: TestCertificate, policy: IceTransportPolicy = .relay,
            kinds: Set<MediaKind> = [.audio]
        ) -> LoopbackCall.Options {
            var options = LoopbackCall.Options()
            options.kinds = kinds
            options.configure = {
                $0.iceServers = [
                    StunTurnServer(urls: [url], username: TurnServer.username, credential: TurnServer.credential)
                ]
                $0.trustRootsFile = roots.certificate.path
                $0.iceTransportPolicy = policy
            }
            return options
        }

        @Test("New credentials of a server over TLS need no further port")
        func sameTunnel() throws {
            let turns = FragileTurnOverTCP(addresses: ["127.0.0.1"], trustRootsFile: nil) { _, _ in }
            defer { turns.close() }
            func relays(_ credential: String, _ port: Int = 5349) throws -> [IceServers.Relay] {
                let server = StunTurnServer(urls: ["turns:127.0.0.1:\(port)"], username: "u", credential: credential)
                return try turns.reach(try IceServers([server], policy: .all).relays)
            }
            let (first, second) = (try relays("a"), try relays("b"))
            #expect(first.map(\.url) == second.map(\.url) && first.map(\.url.scheme) == [.turn])
            #expect(first.map(\.credential) == ["a"] && second.map(\.credential) == ["b"])
            #expect(try relays("b", 5350).map(\.url) != second.map(\.url))
            // However often signaling offers other servers.
            for port in 5351...5380 { _ = try relays("b", port) }
            #expect(turns.count == FragileTurnOverTCP.maximumFormer + 1)
        }

        @Test("Both ends see and hear each other through the relay only, and the wire carries TLS")
        func relay() async throws {
            let certificate = try TestCertificate()
            let turn = try await TurnServer(certificate: certificate)
            let tap = try await WireTap(to: turn.port)
            let options = Self.options(
                "turns:127.0.0.1:\(tap.port)", trusting: certificate, kinds: [.audio, .video])
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForFrames(10)
                    try await end.waitForTone()
                    #expect(await end.peer.statistics().transport.selectedPair?.local.type == .relay)
                    #expect(await end.peer.statistics().transport.selectedPair?.remote.type == .relay)
                    #expect(await end.peer.statistics().transport.selectedPair?.local.relayProtocol == .tls)
                    #expect(end.relayComplaint == nil)
                }
            }
            #expect(tap.conversations.count >= 2)
            for bytes in tap.conversations {
                // RFC 8446 section 5.1: a handshake record begins with 22 and the version 3.
                #expect(bytes.starts(with: [22, 3]))
                #expect(!String(decoding: bytes, as: UTF8.self).contains(TurnServer.username))
            }
        }

        @Test("A host name is resolved and compared with the certificate")
        func hostName() async throws {
            let certificate = try TestCertificate(host: "localhost", address: [192, 0, 2, 1])
            let turn = try await TurnServer(certificate: certificate)
            try await withCall(Self.options("turns:localhost:\(turn.port)", trusting: certificate)) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForTone() }
                #expect(await call.caller.peer.statistics().transport.selectedPair?.local.type == .relay)
            }
        }

        @Test("An untrusted certificate is refused and reported, and the call connects another way")
        func manInTheMiddle() async throws {
            let turn = try await TurnServer(certificate: try TestCertificate())
            let options = Self.options(
                "turns:127.0.0.1:\(turn.port)", trusting: try TestCertificate(), policy: .all)
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForTone()
                    try await eventually("the reason") {
                        end.relayComplaint?.contains("turns:127.0.0.1:\(turn.port): its certificate is not trusted")
                            == true
                    }
                    #expect(await end.peer.statistics().transport.selectedPair?.local.type == .host)
                }
            }
        }

        @Test(
            "With the relay policy an invalid certificate ends the call with the reason",
            arguments: [
                ("not trusted", false), ("its certificate is for another host", true),
            ])
        func nothingElse(reason: String, isTrusted: Bool) async throws {
            let certificate = try TestCertificate(host: "turn.example.org", address: [192, 0, 2, 1])
            let turn = try await TurnServer(certificate: certificate)
            let roots = isTrusted ? certificate : try TestCertificate()
            try await withCall(Self.options("turns:127.0.0.1:\(turn.port)", trusting: roots)) { call in
                try await call.negotiate()
                let failure = try await call.caller.waitForFailure()
                #expect("\(failure)".contains(reason))
            }
        }

        @Test("With the relay policy a refused connection ends the call with the reason")
        func noServer() async throws {
            try await withCall(Self.options("turns:127.0.0.1:1", trusting: try TestCertificate())) { call in
                try await call.negotiate()
                let failure = try await call.caller.waitForFailure()
                #expect("\(failure)".contains("turns:127.0.0.1:1: connection refused"), "\(failure)")
            }
        }

        @Test("Wrong credentials over TLS are reported, too")
        func wrongCredentials() async throws {
            let certificate = try TestCertificate()
            let turn = try await TurnServer(certificate: certificate)
            var options = Self.options("turns:127.0.0.1:\(turn.port)", trusting: certificate)
            let configure = options.configure
            options.configure = {
                configure(&$0)
                $0.iceServers[0].credential = "wrong"
            }
            try await withCall(options) { call in
                try await call.negotiate()
                #expect("\(try await call.caller.waitForFailure())".contains("wrong credentials"))
            }
        }

        @Test("Trust roots that cannot be read end the negotiation, and the error names the file")
        func unreadableRoots() async throws {
            let peer = try await TestEngine.peer(kinds: [.audio]) {
                $0.iceServers = [StunTurnServer(urls: ["turns:127.0.0.1"], username: "u", credential: "c")]
                $0.trustRootsFile = "/nowhere/roots.pem"
            }
            do throws(MediaError) {
                _ = try await peer.createOffer()
                Issue.record("it was accepted")
            } catch {
                #expect("\(error)".contains("/nowhere/roots.pem"))
            }
            await peer.close()
        }

        @Test("A TCP server that hangs up is reported, although libnice never ends its gathering")
        func endlessGathering() async throws {
            let broken = try await WireTap(to: 1)
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.tuning.gatheringMs = 1_000
            options.configure = {
                $0.iceServers = [
                    StunTurnServer(
                        urls: ["turn:127.0.0.1:\(broken.port)?transport=tcp"], username: "u", credential: "c")
                ]
            }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForTone()
                    try await end.wait(for: .candidatesGathered(.complete))
                    #expect(end.relayComplaint?.contains("out of reach") == true)
                }
            }
        }

        @Test("EndlessGathering: libnice does not signal the end after a TURN server over TCP hung up")
        func endlessGatheringIsNeeded() async throws {
            let broken = try await WireTap(to: 1)
            let peer = try RawPeer(RawPeer.opus)
            let agent = try #require(peer.webrtc.object("ice-agent")?.object("agent"))
            try agent.set("stun-reliable-timeout", "500")
            peer.webrtc.emit("add-turn-server", [.string("turn://u:p@127.0.0.1:\(broken.port)?transport=tcp")])
            try await peer.start()
            try await peer.set(try await peer.create(.offer), "local")
            // Several times the limit that libnice has for a server over TCP here.
            let limit = ContinuousClock.now + .seconds(2)
            try await eventually("that time") { ContinuousClock.now > limit || peer.hasGathered }
            #expect(!peer.hasGathered)
        }

        @Test("FragileTurnOverTCP: libnice itself opens plain TCP for turns:")
        func turnOverTCP() async throws {
            let turn = try await TurnServer()
            let tap = try await WireTap(to: turn.port)
            let peer = try RawPeer(RawPeer.opus)
            peer.webrtc.emit("add-turn-server", [.string("turns://u:p@127.0.0.1:\(tap.port)?transport=tcp")])
            try await peer.start()
            try await peer.set(try await peer.create(.offer), "local")
            try await eventually("something on the wire") { !tap.conversations.isEmpty }
            // A STUN message (RFC 8489 section 5) begins with two zero bits, here an Allocate request: 0x0003.
            #expect(tap.conversations.first?.starts(with: [0, 3]) == true)
        }
    }
}
