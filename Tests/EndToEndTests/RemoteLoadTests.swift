import Foundation
import Testing

@testable import callagent_cli

extension EndToEnd {
    /// A load whose workers are on other machines.
    @Suite struct RemoteLoadTests {
        /// A signaling server, a callee, and machines with workers.
        private struct Site {
            let server: MortalServer
            let machines: [Program]
            let callee: Program

            init(_ kind: SignalingKind, machines count: Int) async throws {
                server = try await MortalServer(kind)
                let common = ["--signaling", server.url, "--ice-interface", "127.0.0.1", "--events"]
                callee = try Program(["listen", "--as", "bob", "--max-calls", "20"] + common)
                machines = try (1...count).map {
                    try Program(
                        [
                            "load", "--work-for", "alice", "--as", "workers", "--device", "machine-\($0)", "--workers",
                            "2",
                        ]
                            + common)
                }
                for program in machines { try await Self.begins(program, "working") }
                try await Self.begins(callee, "listening")
            }

            private static func begins(_ program: Program, _ event: String) async throws {
                try await eventually("\(event): \(program.errors)") { program.hasEvent(["event": event]) }
            }

            func load(_ options: [String], user: String = "alice") throws -> Program {
                try Program(
                    ["load", "bob", "--as", user, "--signaling", server.url, "--workers-at", "workers"] + options)
            }
        }

        @Test(
            "Workers of several machines place the calls, and one report has them all",
            arguments: SignalingKind.direct)
        func joined(kind: SignalingKind) async throws {
            let site = try await Site(kind, machines: 2)
            let load = try site.load([
                "--machines", "2", "--calls", "6", "--rate", "20/s", "--duration", "12s", "--video", "clock",
                "--audio", "tone:660", "--json", "--expect", "summary.connected==6",
                "--expect", "video.received.distinctFrames>3", "--expect", "audio.received.toneHz>430",
            ])
            #expect(try await load.waitForExit() == 0, "\(load.errors)")
            let document = try load.document()
            let calls = try #require(document["calls"] as? [[String: Any]])
            #expect(Set(try calls.map { try $0.text("callId") }).count == 6)
            #expect(Set(try calls.map { try $0.text("machine") }) == ["machine-1", "machine-2"])
            let moments = try #require(document["moments"] as? [[String: Any]])
            #expect(try moments.map { try $0.number("connectedCalls") }.max() == 6)
            // What the callee received is what the plan says.
            let reports = try site.callee.events.filter { $0["event"] as? String == "report" }
                .map { try $0.object("report") }
            #expect(reports.count == 6)
            for report in reports {
                #expect(try report.text("peer") == "workers")
                #expect(abs(try report.number("audio.received.toneHz") - 660) < 7)
                #expect(try report.number("video.received.quality.framesMarked") > 10)
            }
            // They wait for the next load, of which one machine has enough.
            let next = try site.load(["--calls", "1", "--duration", "500ms"])
            #expect(try await next.waitForExit() == 0, "\(next.errors)")
        }

        @Test("A machine that vanishes ends the load, and the others hang up", .namesCases)
        func vanished() async {
            await together(SignalingKind.direct) { kind in
                let site = try await Site(kind, machines: 2)
                let load = try site.load(["--machines", "2", "--calls", "4", "--rate", "20/s", "--duration", "60s"])
                try await connectedCalls(4, at: site.callee)
                site.machines[0].signal(SIGKILL)
                #expect(try await load.waitForExit(within: .seconds(40)) == 7, "\(load.errors)")
                #expect(load.errors.contains("the machine machine-1 is gone"), "\(load.errors)")
                let next = try site.load(["--calls", "1", "--duration", "500ms"])
                #expect(try await next.waitForExit() == 0, "\(next.errors)")
            }
        }

        @Test("When the one who runs the load vanishes, its workers hang up and take the next load", .namesCases)
        func orphaned() async {
            await together(SignalingKind.direct) { kind in
                let site = try await Site(kind, machines: 1)
                let load = try site.load(["--calls", "2", "--rate", "20/s", "--duration", "600s"])
                try await connectedCalls(2, at: site.callee)
                // A machine that has a load takes no other one.
                let other = try site.load(["--calls", "1"])
                #expect(try await other.waitForExit() == 4, "\(other.errors)")
                #expect(other.errors.contains("run another load"), "\(other.errors)")
                load.signal(SIGKILL)
                try await eventually("the calls end", within: .seconds(30)) {
                    site.callee.events.count { $0["event"] as? String == "report" } == 2
                }
                try await eventually("the machine is free again", within: .seconds(30)) {
                    let next = try site.load(["--calls", "1", "--duration", "500ms"])
                    return try await next.waitForExit() == 0
                }
            }
        }

        @Test("Of two loads that begin at the same time one has the machine, and the other one ends")
        func atOnce() async throws {
            let site = try await Site(.mqtt, machines: 1)
            let loads = try (0..<2).map { _ in try site.load(["--calls", "1", "--duration", "3s"]) }
            var exits: Set<Int32> = []
            for load in loads { exits.insert(try await load.waitForExit(within: .seconds(30))) }
            #expect(exits == [0, 7])
            #expect(loads.contains { $0.errors.contains("machine-1: it runs another load") }, "\(loads.map(\.errors))")
        }

        @Test("The server is restarted in order: the load goes on")
        func restarted() async throws {
            let site = try await Site(.webSocket, machines: 1)
            let load = try site.load(["--calls", "2", "--rate", "20/s", "--duration", "6s", "--json"])
            try await connectedCalls(2, at: site.callee)
            try await site.server.stop()
            try await eventually("it noticed") { site.callee.hasEvent(["event": "signalingLost"]) }
            try await site.server.rise()
            #expect(try await load.waitForExit() == 0, "\(load.errors)")
            #expect(try load.document().number("summary.connected") == 2)
        }

        @Test("Ctrl-C hangs up everywhere, and the report has the calls so far")
        func interrupted() async throws {
            let site = try await Site(.mqtt, machines: 1)
            let load = try site.load(["--calls", "2", "--rate", "20/s", "--duration", "600s", "--json"])
            try await connectedCalls(2, at: site.callee)
            load.signal(SIGINT)
            #expect(try await load.waitForExit() == 130, "\(load.errors)")
            #expect(try #require(load.document()["calls"] as? [Any]).count == 2)
            // A machine that is stopped during a load hangs up, too.
            let next = try site.load(["--calls", "1", "--duration", "600s"])
            try await eventually("it is connected") {
                site.callee.events.count {
                    $0["event"] as? String == "stateChanged" && $0["state"] as? String == "connected"
                } == 3
            }
            site.machines[0].signal(SIGTERM)
            #expect(try await site.machines[0].waitForExit() == 143)
            #expect(try await next.waitForExit() != 0)
        }

        @Test("What cannot work ends with one line")
        func refused() async throws {
            let site = try await Site(.webSocket, machines: 1)
            for (options, user, status, words) in [
                (["--video", "file:/etc/passwd"], "alice", 2, "give others to the workers themselves"),
                (["--at", "1s=hold"], "alice", 2, "--at cannot be given with --workers-at"),
                (["--pair"], "alice", 2, "--pair has both"), (["--machines", "0"], "alice", 2, "--machines takes 1"),
                // The workers are for alice alone.
                ([], "mallory", 4, "no worker at workers works for mallory"),
            ] as [([String], String, Int32, String)] {
                let load = try site.load(options, user: user)
                #expect(try await load.waitForExit() == status, "\(options): \(load.errors)")
                #expect(load.errors.contains(words), "\(options): \(load.errors)")
            }
        }

        private func connectedCalls(_ count: Int, at callee: Program) async throws {
            try await eventually("\(count) calls are connected") {
                callee.events.count {
                    $0["event"] as? String == "stateChanged" && $0["state"] as? String == "connected"
                } == count
            }
        }

        @Test("A machine that works for others names no callees itself")
        func ownCallees() async throws {
            let worker = try Program(["load", "bob", "--work-for", "alice", "--as", "workers"])
            #expect(try await worker.waitForExit() == 2)
            #expect(worker.errors.contains("leave them out"), "\(worker.errors)")
        }

        // MARK: Rules

        @Test("A plan has what any machine can do, and nothing of its own")
        func plan() throws {
            let known: [String: CommandOptions.Option] = [
                "calls": .init(isFlag: false, isRepeating: false), "video": .init(isFlag: false, isRepeating: false),
                "poisson": .init(isFlag: true, isRepeating: false), "token": .init(isFlag: false, isRepeating: false),
            ]
            let plan = try LoadPlan(
                ["bob", "--calls", "3", "--token", "secret", "--poisson", "carol", "--video=test:smpte", "--", "dave"],
                known: known)
            #expect(plan.options == ["--calls=3", "--poisson", "--video=test:smpte"])
            #expect(plan.callees == ["bob", "carol", "dave"])
            #expect(plan.arguments.suffix(4) == ["--", "bob", "carol", "dave"])
            // As another machine might send it.
            for (options, callees) in [
                (["--record=x"], []), (["--video=v4l2:/dev/video0"], []), (["--audio=mic"], []), (["--video"], []),
                (["--pipelines=/tmp"], []), (["--video=videotestsrc ! identity"], []), (["--sink-video=x"], []),
                (["--config=x"], []), (["x"], []), (["--poisson=1"], []), (["--calls", "3"], []),
                ([], ["http://127.0.0.1:8889/whep"]), ([], ["a b"]), ([], [""]),
            ] as [([String], [String])] {
                let data = try JSONEncoder().encode(["options": options, "callees": callees])
                let plan = try JSONDecoder().decode(LoadPlan.self, from: data)
                #expect(throws: Failure.self, "\(options) \(callees)") { try plan.check(known: known) }
            }
        }

        @Test("Each machine gets a worker in turn, as long as there are calls for them")
        func shares() {
            func parts(_ calls: Int, _ offers: [String: Int]) -> [String: Int] {
                let parties = offers.map { (LoadParty(device: $0.key, load: "l"), $0.value) }
                let shares = LoadCrew.shares(of: calls, Dictionary(uniqueKeysWithValues: parties))
                return Dictionary(uniqueKeysWithValues: shares.map { ($0.party.device, $0.processes) })
            }
            #expect(parts(10, ["a": 2, "b": 4]) == ["a": 2, "b": 4])
            #expect(parts(4, ["a": 2, "b": 4]) == ["a": 2, "b": 2])
            #expect(parts(1, ["a": 2, "b": 4]) == ["a": 1])
            #expect(parts(5, ["a": 0, "b": -1, "c": 1]) == ["c": 1])
            #expect(parts(5, [:]).isEmpty)
        }
    }
}
