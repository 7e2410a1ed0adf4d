import TestServers
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Another path to the peer, without a negotiation") struct IceRestartTests {
        /// Exchanges the parameters and candidates of restarts between the two ends of a call.
        ///
        /// An end that has not begun a restart begins it when the other's parameters arrive, as a call does.
        private final class Exchange: Sendable {
            private let call: LoopbackCall
            /// The latest restart of each end.
            private let latest = [Shared(0), Shared(0)]
            private let tasks = Shared<[Task<Void, Never>]>([])

            /// Passes on what happens from now on.
            ///
            /// The other end would follow earlier restarts one after the other, and refuse the latest one with too many former paths.
            init(_ call: LoopbackCall) {
                self.call = call
                for index in 0...1 {
                    let (end, other, latest) = (call.ends[index], call.ends[1 - index], latest[1 - index])
                    let begin = end.events.count
                    tasks.update { tasks in
                        tasks.append(Task { await Self.pass(from: end, to: other, latest, after: begin) })
                    }
                }
            }

            deinit { for task in tasks.value { task.cancel() } }

            private static func pass(from end: CallEnd, to other: CallEnd, _ latest: Shared<Int>, after begin: Int)
                async
            {
                var next = begin
                while !Task.isCancelled {
                    for event in end.events.dropFirst(next) {
                        next += 1
                        switch event {
                        case .iceParameters(let parameters):
                            if latest.value < parameters.restart {
                                latest.set(parameters.restart)
                                try? await other.peer.restartIce(parameters.restart)
                            }
                            try? await other.peer.setIceParameters(parameters)
                        case .localCandidate(let candidate) where candidate.fragment != nil:
                            try? await other.peer.addCandidate(candidate)
                        default: break
                        }
                    }
                    try? await Task.sleep(for: .milliseconds(5))
                }
            }

            func begin(_ number: Int, at index: Int) async throws {
                latest[index].set(number)
                try await call.ends[index].peer.restartIce(number)
            }
        }

        private func changes(_ end: CallEnd) -> [IcePathChange] {
            end.events.compactMap { if case .pathChanged(let change) = $0 { change } else { nil } }
        }

        private static func servers(_ url: String) -> [StunTurnServer] {
            [StunTurnServer(urls: [url], username: TurnServer.username, credential: TurnServer.credential)]
        }

        /// libnice itself aborts the process when the connection of its selected pair ends.
        @Test(
            "A TURN server over TCP or TLS that closes its connections during a call ends neither the process nor the call",
            arguments: [false, true])
        func serverGoes(hasTLS: Bool) async throws {
            let certificate = try TestCertificate()
            let turn = try await TurnServer(certificate: hasTLS ? certificate : nil)
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.configure = {
                $0.iceServers = Self.servers(hasTLS ? "turns:127.0.0.1:\(turn.port)" : turn.url("tcp"))
                $0.trustRootsFile = certificate.certificate.path
                $0.iceTransportPolicy = .relay
            }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForTone() }
                turn.stop()
                for end in call.ends { try await end.wait(for: .mediaMissing) }
                let next = try await TurnServer()
                for end in call.ends { try await end.peer.use(Self.servers(next.url("tcp"))) }
                let exchange = Exchange(call)
                try await exchange.begin(1, at: 0)
                for end in call.ends {
                    try await eventually("another path") { !changes(end).isEmpty }
                    let heard = try await end.received(.audio).decoded
                    try await end.wait("audio again") { $0.received[.audio]?.decoded ?? 0 > heard + 9_600 }
                    #expect(end.failure == nil)
                }
            }
        }

        @Test("Packets take the new path at both ends, and frames and audio go on", arguments: [0, 1])
        func path(beginner: Int) async throws {
            try await withCall { call in
                try await call.connect()
                for end in call.ends { try await end.waitForTone() }
                let exchange = Exchange(call)
                try await exchange.begin(1, at: beginner)
                try await eventually("another path") { call.ends.allSatisfy { changes($0).count == 1 } }
                for end in call.ends {
                    let change = try #require(changes(end).first)
                    #expect(change.restart == 1 && change.after.local.type == .host)
                    #expect(change.before != nil && change.before != change.after)
                    #expect(await end.peer.statistics().transport.selectedPair?.local.type == .host)
                    let transport = try #require(await end.peer.statisticsReport().transport)
                    #expect(transport.selectedCandidatePairChanges >= 2 && transport.selectedCandidatePairId != nil)
                    let before = await end.peer.statistics().received
                    try await eventually("media on the new path") {
                        let now = await end.peer.statistics().received
                        return now.allSatisfy { kind, track in
                            track.decoded > (before[kind]?.decoded ?? 0) + (kind == .video ? 15 : 24_000)
                        }
                    }
                    try await end.waitForTone()
                    #expect(end.failure == nil)
                }
            }
        }

        @Test("Both ends begin at once: one path")
        func together() async throws {
            try await withCall { call in
                try await call.connect()
                let exchange = Exchange(call)
                for index in 0...1 { try await exchange.begin(1, at: index) }
                try await eventually("another path") { call.ends.allSatisfy { changes($0).count == 1 } }
                for end in call.ends { try await end.waitForTone() }
            }
        }

        @Test("Forty paths one after the other leave no thread and no descriptor behind")
        func many() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            try await withCall(options) { call in
                try await call.connect()
                let exchange = Exchange(call)
                func change(to number: Int) async throws {
                    try await exchange.begin(number, at: number % 2)
                    try await eventually("path \(number)") {
                        call.ends.allSatisfy { changes($0).last?.restart == number }
                    }
                }
                for number in 1...5 { try await change(to: number) }
                // Former paths receive for a while longer.
                try await eventually("the former paths are closed") { await Self.former(call) == 0 }
                let before = ProcessCensus.now()
                for number in 6...40 { try await change(to: number) }
                try await eventually("the former paths are closed") { await Self.former(call) == 0 }
                try await eventually("as many descriptors and threads as before") {
                    let now = ProcessCensus.now()
                    return now.files.count <= before.files.count && now.threads.count <= before.threads.count
                }
                for end in call.ends { try await end.waitForTone() }
            }
        }

        @Test("While too many former paths wait for silent TURN servers, no further path is made, and the call goes on")
        func silentServers() async throws {
            var servers: [TurnServer] = []
            for _ in 0...FormerIcePaths.maximum { servers.append(try await TurnServer()) }
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            try await withCall(options) { call in
                try await call.connect()
                let end = call.caller
                for (index, server) in servers.enumerated() {
                    try await end.peer.use(Self.servers(server.url("udp")))
                    try await end.peer.restartIce(index + 1)
                    try await eventually("a relay candidate of path \(index + 1)") {
                        end.events.count {
                            if case .localCandidate(let candidate) = $0 { candidate.isRelay } else { false }
                        } > index
                    }
                    server.stopAnswering()
                }
                let next = servers.count + 1
                await #expect(throws: MediaError.self) { try await end.peer.restartIce(next) }
                #expect(await end.peer.media?.ice.formerPaths == FormerIcePaths.maximum)
                try await end.waitForTone()
                for server in servers { server.answerAgain() }
                try await eventually("the end of the former paths") { await end.peer.media?.ice.formerPaths == 0 }
                let exchange = Exchange(call)
                try await exchange.begin(next, at: 0)
                try await eventually("another path") { call.ends.allSatisfy { changes($0).last?.restart == next } }
                for end in call.ends { try await end.waitForTone() }
            }
        }

        private static func former(_ call: LoopbackCall) async -> Int {
            var count = 0
            for end in call.ends { count += await end.peer.media?.ice.formerPaths ?? 0 }
            return count
        }

        @Test(
            "A restart before the negotiation, damaged parameters and candidates of no path are refused or without effect"
        )
        func refused() async throws {
            try await withCall { call in
                await #expect(throws: MediaError.self) { try await call.caller.peer.restartIce(1) }
                try await call.connect()
                for (fragment, password) in [
                    ("abc", String(repeating: "p", count: 22)), ("abcd", "short"),
                    ("ab d", String(repeating: "p", count: 22)),
                ] {
                    await #expect(throws: MediaError.self) {
                        try await call.caller.peer.setIceParameters(
                            IceParameters(restart: 1, fragment: fragment, password: password))
                    }
                }
                // No path has this number.
                try await call.caller.peer.setIceParameters(
                    IceParameters(restart: 7, fragment: "abcd", password: String(repeating: "p", count: 22)))
                try await call.caller.peer.restartIce(1)
                let line = "candidate:1 1 UDP 2130706431 127.0.0.1 9 typ host ufrag nobody"
                try await call.caller.peer.addCandidate(IceCandidate(mLine: 0, candidate: line))
                for end in call.ends { try await end.waitForTone() }
                // A path that never works ends with the call.
                #expect(changes(call.caller).isEmpty && call.caller.failure == nil)
            }
        }
    }
}
