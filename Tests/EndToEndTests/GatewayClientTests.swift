import CallProtocol
import Foundation
import MQTTSignaling
import SignalingServer
import TestServers
import Testing
import WebSocketSignaling

@testable import CallAgent
@testable import callagent_cli

extension EndToEnd {
    /// What a client sees of a server that has a broker, and others of the client.
    @Suite struct GatewayClientTests {
        private func relay(_ url: String, trustRootsFile: String? = nil) -> BrokerRelay {
            BrokerRelay(url: url, passwordFile: nil, trustRootsFile: trustRootsFile, logger: .quiet)
        }

        @Test("A client gets the same errors with a broker as without one", arguments: [false, true])
        func errors(hasBroker: Bool) async throws {
            let broker = try await MQTTBroker()
            let server = try await Server.start(
                configuration: ServerConfiguration(port: 0), relay: hasBroker ? relay(broker.url) : nil, logger: .quiet)
            let url = "ws://127.0.0.1:\(server.port)"
            let bob = try await Station("bob", at: url, width: 0).prepared()
            let alice = WebSocketTransport(url: url, logger: .quiet)
            let events = Trail(alice.events)
            try await alice.connect(as: "alice")
            func head(_ type: String, _ id: String, _ more: String = "") -> String {
                #""type":"\#(type)","id":"\#(id)","callId":"c1","from":"alice","to":"bob"\#(more)"#
            }
            let expected: Set<String> = [
                "later 426", "short 400", "wrong 400", "two 426", "gone 400", "- 400", "one 426", "none 480",
            ]
            for text in [
                // Bob's answers, also to a message for one device.
                #"{"v":1,\#(head("later", "later"))}"#, #"{"v":1,\#(head("invite", "short"))}"#,
                #"{"v":1,\#(head("ringing", "wrong", #","generation":-1"#))}"#,
                #"{"v":1,\#(head("later", "one", #","toDevice":"main""#))}"#,
                // The server's.
                #"{"v":2,\#(head("ringing", "two"))}"#, #"{"v":1,\#(head("gone", "gone"))}"#, "no message",
                #"{"v":1,\#(head("later", "none", #","toDevice":"tv""#))}"#,
            ] {
                try await alice.send(text, to: "bob")
            }
            func answers() -> Set<String> {
                Set(
                    events.all.compactMap {
                        guard case .received(let text) = $0, let answer = try? SignalingMessage(decoding: text),
                            case .error(let fault) = answer.body
                        else { return nil }
                        return "\(fault.ref ?? "") \(fault.code)"
                    })
            }
            try await eventually("\(expected.subtracting(answers())) are missing") { answers() == expected }
            await alice.close()
            await bob.agent.close()
            await server.shutdown()
        }

        @Test("The server reaches its broker over TLS, if it trusts its certificate")
        func tls() async throws {
            let certificate = try TestCertificate()
            let broker = try await MQTTBroker(certificate: certificate)
            func serve(_ options: [String]) async throws -> (program: Program, url: String) {
                let program = try Program(
                    ["serve", "--listen", "127.0.0.1:0", "--events", "--log-level", "info", "--broker", broker.url]
                        + options)
                try await eventually("it serves: \(program.errors)") { program.hasEvent(["event": "serving"]) }
                return (program, try #require(program.events.first?["url"] as? String))
            }
            let trusting = ["--broker-trust-roots", certificate.certificate.path]
            let (first, second, third) = (try await serve(trusting), try await serve(trusting), try await serve([]))
            let alice = try await Station("alice", at: first.url, width: 0).prepared()
            let bob = try await Station("bob", at: second.url, width: 0).prepared()
            let mine = try await alice.call(bob)
            let theirs = try await bob.ring()
            try await mine.reaches(.ringing)
            await mine.call.hangUp()
            try await theirs.ends(.remoteCancelled)
            for station in [alice, bob] { await station.agent.close() }
            let stranger = try Program(["call", "bob", "--as", "carol", "--signaling", third.url])
            #expect(try await stranger.waitForExit() == 3, "\(stranger.errors)")
            try await eventually("it says why: \(third.program.errors)") {
                third.program.errors.contains("its certificate is not trusted")
            }
        }

        @Test("Who sends more than may wait for a broker that hangs is closed, and comes back with it")
        func hangingBroker() async throws {
            let broker = try await MQTTBroker()
            let server = try await Server.start(
                configuration: ServerConfiguration(port: 0), relay: relay(broker.url), logger: .quiet)
            let alice = WebSocketTransport(url: "ws://127.0.0.1:\(server.port)", logger: .quiet)
            let events = Trail(alice.events)
            try await alice.connect(as: "alice")
            func text(_ number: Int) -> String {
                #"{"v":1,"type":"later","id":"m\#(number)","callId":"c1","from":"alice","to":"bob","x":""#
                    + String(repeating: "x", count: 60_000) + #""}"#
            }
            // What the broker takes does not add up.
            for number in 1...40 {
                try await alice.send(text(number), to: "bob")
                try await eventually("\(number) is answered with 480") {
                    events.all.contains {
                        if case .received(let text) = $0 { text.contains("\"m\(number)\"") } else { false }
                    }
                }
            }
            broker.stopAnswering()
            // The server may close the connection before all is sent.
            for number in 41...80 { try? await alice.send(text(number), to: "bob") }
            try await eventually("it was closed: \(events.all.suffix(1))") {
                events.all.contains {
                    if case .disconnected(let text) = $0 {
                        text.contains("too many messages wait for the broker")
                    } else {
                        false
                    }
                }
            }
            broker.answerAgain()
            try await eventually("it is back") { events.contains(.reconnected) }
            await alice.close()
            await server.shutdown()
        }

        @Test("Others learn that a client is gone that fell silent")
        func silent() async throws {
            let broker = try await MQTTBroker()
            var relay = relay(broker.url)
            relay.presenceValidity = .seconds(3)
            var configuration = ServerConfiguration(port: 0)
            (configuration.pingInterval, configuration.silenceTimeout) = (.milliseconds(200), .seconds(2))
            let server = try await Server.start(configuration: configuration, relay: relay, logger: .quiet)
            var timing = MQTTTransportConfiguration()
            // It looks at the notes three times in this.
            timing.presenceValidity = .seconds(3)
            let alice = MQTTTransport(url: broker.url, configuration: timing, logger: .quiet)
            try await alice.connect(as: "alice")
            let presence = Trail(try await alice.watch(["bob"]))
            let bob = try Program(["listen", "--as", "bob", "--signaling", "ws://127.0.0.1:\(server.port)", "--events"])
            let (here, gone) = (Presence(user: "bob", devices: ["main"]), Presence(user: "bob", devices: []))
            try await eventually("bob is here: \(presence.all) \(bob.errors)") { presence.all.last == here }
            // Others see it before it has the answer to its sign-in, which it awaits for 5 s.
            try await eventually("bob listens: \(bob.errors)") { bob.hasEvent(["event": "listening"]) }
            bob.signal(SIGSTOP)
            try await eventually("bob is gone: \(presence.all)") { presence.all.last == gone }
            bob.signal(SIGCONT)
            try await eventually("bob is back: \(presence.all) \(bob.errors)") { presence.all.last == here }
            bob.signal(SIGKILL)
            try await eventually("bob is gone: \(presence.all)") { presence.all.last == gone }
            await alice.close()
            await server.shutdown()
        }
    }
}
