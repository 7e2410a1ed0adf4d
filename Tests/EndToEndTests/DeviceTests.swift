import Foundation
import Logging
import SignalingServer
import Testing

extension EndToEnd {
    /// Several devices of one user, and the tokens that they sign in with.
    @Suite struct DeviceTests {
        private let folder = Folder()

        @Test("Two devices ring, one answers, and the other stops and reports the device that answered")
        func answeredElsewhere() async throws {
            let trio = try await Trio()
            let kitchen = try await trio.listen(["--device", "kitchen", "--answer", "never", "--once"])
            let hall = try await trio.listen(["--device", "hall", "--answer", "3s", "--once"])
            #expect(kitchen.hasEvent(["event": "listening", "device": "kitchen"]))
            let alice = try trio.call(["--events", "--duration", "300ms"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await hall.waitForExit() == 0, "\(hall.errors)")
            #expect(try await kitchen.waitForExit() == 4)
            #expect(kitchen.hasEvent(["event": "stateChanged", "state": "ended", "reason": "answeredElsewhere"]))
            #expect(kitchen.errors.contains("answeredElsewhere (200)"), "\(kitchen.errors)")
            for device in ["kitchen", "hall"] { #expect(alice.hasEvent(["event": "deviceRings", "device": device])) }
            #expect(kitchen.count(of: ["stage": "connected"]) == 0)
        }

        @Test("A reject at one device stops the ringing at the others")
        func declinedElsewhere() async throws {
            let trio = try await Trio()
            let kitchen = try await trio.listen(["--device", "kitchen", "--answer", "never", "--once"])
            let hall = try await trio.listen(["--device", "hall", "--reject"])
            let alice = try trio.call()
            #expect(try await alice.waitForExit() == 4)
            #expect(alice.errors.contains("remoteRejected (603)"), "\(alice.errors)")
            #expect(try await kitchen.waitForExit() == 4)
            #expect(kitchen.hasEvent(["event": "stateChanged", "state": "ended", "reason": "declinedElsewhere"]))
            #expect(hall.hasEvent(["event": "inviteRefused", "peer": "alice"]))
        }

        @Test("A user signs in only with a token of that user")
        func tokens() async throws {
            let (server, key) = try await lockedServer()
            let url = "ws://127.0.0.1:\(server.port)"
            let token = try AccessToken(user: "bob", lifetime: .seconds(60)).signed(with: key)
            let bob = try Program(["listen", "--as", "bob", "--events", "--signaling", url, "--token", token])
            try await eventually("bob listens") { bob.hasEvent(["event": "listening"]) }
            let empty = try folder.write("\n", "empty")
            for (options, status, part) in [
                (["--as", "carol", "--token", token], 3, "refused the sign-in"),
                (["--as", "bob"], 3, "refused the sign-in"),
                (["--as", "bob", "--token", "x"], 3, "refused the sign-in"),
                (["--as", "bob", "--token-file", folder.path("none")], 2, "there is no file"),
                (["--as", "bob", "--token-file", empty], 2, "has no token in it"),
                (["--as", "bob", "--token-file", empty, "--token", "x"], 2, "exclude each other"),
            ] as [([String], Int32, String)] {
                let program = try Program(["listen", "--signaling", url] + options)
                #expect(try await program.waitForExit() == status, "\(program.errors)")
                #expect(program.errors.contains(part), "\(program.errors)")
                #expect(!program.errors.contains(token))
            }
            await server.shutdown()
        }

        @Test("The environment names the server and the token; options win, and hooks do not get the token")
        func environment() async throws {
            let (server, key) = try await lockedServer()
            let token = try AccessToken(user: "bob", lifetime: .seconds(60)).signed(with: key)
            let environment = ["CALLAGENT_SIGNALING": "ws://127.0.0.1:\(server.port)", "CALLAGENT_TOKEN": token]
            let seen = folder.path("seen")
            let hook = try folder.write(
                "#!/bin/sh\nenv > '\(seen).part' && mv '\(seen).part' '\(seen)'\n", "hook", executable: true)
            let bob = try Program(
                ["listen", "--as", "bob", "--events", "--answer", "never", "--on-ring", hook], environment: environment)
            try await eventually("bob listens") { bob.hasEvent(["event": "listening"]) }
            for (options, status) in [(["--token", "x"], 3), (["--signaling", "ws://127.0.0.1:1"], 3)]
                as [([String], Int32)]
            {
                let program = try Program(["listen", "--as", "bob"] + options, environment: environment)
                #expect(try await program.waitForExit() == status, "\(program.errors)")
            }
            let alice = try Program(
                ["call", "bob", "--as", "alice", "--ring-timeout", "1s"],
                environment: environment.merging(
                    ["CALLAGENT_TOKEN": AccessToken(user: "alice", lifetime: .seconds(60)).signed(with: key)]) { $1 })
            #expect(try await alice.waitForExit() == 4, "\(alice.errors)")
            try await eventually("the hook ran") { FileManager.default.fileExists(atPath: seen) }
            let variables = try String(contentsOfFile: seen, encoding: .utf8)
            #expect(variables.contains("CALLAGENT_PEER=alice") && !variables.contains(token), "\(variables)")
            await server.shutdown()
        }

        @Test("Before a token expires the next one is read from its file, and the listener stays signed in")
        func renewal() async throws {
            let (server, key) = try await lockedServer { $0.tokenWarning = .seconds(7) }
            let file = try folder.write(
                AccessToken(user: "bob", lifetime: .seconds(10)).signed(with: key) + "\n", "token")
            let bob = try Program([
                "listen", "--as", "bob", "--events", "--signaling", "ws://127.0.0.1:\(server.port)", "--token-file",
                file,
            ])
            try await eventually("bob listens") { bob.hasEvent(["event": "listening"]) }
            _ = try folder.write(AccessToken(user: "bob", lifetime: .seconds(600)).signed(with: key), "token")
            try await eventually("renewed") { bob.hasEvent(["event": "tokenRenewed", "user": "bob"]) }
            let warning = try #require(bob.events.first { $0["event"] as? String == "tokenWillExpire" })
            #expect(try (1...7_000).contains(warning.number("expiresInMs")))
            #expect(!bob.hasEvent(["event": "signalingLost"]))
            await server.shutdown()
        }

        private func lockedServer(
            _ configure: (inout ServerConfiguration) -> Void = { _ in }
        ) async throws -> (Server, TokenKey) {
            let file = try folder.write("a secret of more than thirty-two bytes for tests", "key")
            var configuration = ServerConfiguration(port: 0)
            configuration.tokenKeyFiles = [file]
            configure(&configuration)
            let server = try await Server.start(configuration: configuration, logger: Logger(label: "test"))
            return (server, try await TokenKey.read(file: file))
        }
    }
}
