import CallProtocol
import Foundation
import MediaEngine
import Testing

@testable import CallAgent
@testable import callagent_cli

extension EndToEnd {
    /// The events of `--events` have the keys that docs/cli.md documents.
    @Suite struct EventTests {
        private typealias Keys = [String: Set<String>]

        private static let common: Set = ["event", "unixMs"]
        /// Objects whose keys are W3C's, the application's, or those of a report.
        private static let others: Set = ["statistics", "report", "extension"]

        @Test("docs/cli.md lists exactly the events of a call, with their keys")
        func ofCall() throws {
            let events = Self.callEvents.map { EventDocument($0, callId: "c", user: "bob", peer: "alice") }
            var documented = try Self.documented("Events of a call have")
            // Those of the program itself, which a real call shows.
            for name in ["action", "report"] { #expect(documented.removeValue(forKey: name) != nil) }
            // The rest of them belong to the invite of a real call.
            documented["reached"] = ["stage", "atMs"]
            let keys = try Self.keys(of: events)
            try Self.expect(keys.mapValues { $0.subtracting(["callId", "peer"]) }, documented)
            #expect(keys.values.allSatisfy { $0.isSuperset(of: ["callId", "peer"]) })
        }

        @Test("docs/cli.md lists exactly the events of an agent, with their keys")
        func ofAgent() throws {
            let events = Self.agentEvents.compactMap { EventDocument($0, of: "bob") }
            var documented = try Self.documented("Events of the agent have")
            #expect(documented.removeValue(forKey: "listening") != nil)
            let keys = try Self.keys(of: events)
            try Self.expect(keys.mapValues { $0.subtracting(["user"]) }, documented)
            #expect(keys.values.allSatisfy { $0.contains("user") })
        }

        @Test("docs/cli.md lists exactly the objects in events, with their keys")
        func objects() throws {
            let events = try Self.callEvents.map {
                try Self.json(EventDocument($0, callId: "c", user: "bob", peer: "alice"))
            }
            var found: Keys = [:]
            for event in events { Self.collect(event, at: "", into: &found) }
            try Self.expect(found, Self.documented("| object | its keys | values |"))
        }

        @Test("All events of a real call have their time and only documented keys, and the program's own have all")
        func real() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--device", "kitchen", "--stats-interval", "200ms"])
            let alice = try trio.call([
                "--events", "--stats-interval", "200ms", "--duration", "2s", "--room", "lab", "--extension", "ticket=7",
                "--display-name", "Alice", "--address", "alice@example.org", "--at", "100ms=dtmf:1", "--at",
                "200ms=hold", "--at", "300ms=hold", "--at", "400ms=unhold", "--at", "500ms=info:hello",
            ])
            #expect(try await alice.waitForExit() == 6, "\(alice.errors)")
            try await eventually("bob's report") { bob.hasEvent(["event": "report"]) }
            bob.signal(SIGINT)
            try await bob.waitForExit()

            for program in [alice, bob] { #expect(program.eventsWithoutTime.isEmpty) }
            let events = alice.events + bob.events
            let (ofCall, ofAgent) = (
                try Self.documented("Events of a call have"), try Self.documented("Events of the agent have")
            )
            var found: Keys = [:]
            for event in events {
                let name = try event.text("event")
                let own = Set(event.keys).subtracting(Self.common)
                found[name, default: []].formUnion(own)
                let allowed = (ofCall[name] ?? []).union(ofAgent[name] ?? []).union(["callId", "peer", "user"])
                #expect(own.isSubset(of: allowed), "\(name): \(own.subtracting(allowed))")
            }
            for name in ["reached", "action", "report"] {
                #expect(found[name] == ofCall[name]?.union(["callId", "peer"]), "\(name)")
            }
            #expect(found["listening"] == ofAgent["listening"]?.union(["user"]))
            #expect(Set(["dtmf", "info", "holdChanged", "statistics", "stateChanged"]).isSubset(of: found.keys))
        }

        @Test(
            "The events of demo and load have their time, too",
            arguments: [
                ["demo", "--duration", "300ms"],
                ["load", "--pair", "--calls", "2", "--workers", "1", "--duration", "2s"],
            ])
        func time(arguments: [String]) async throws {
            let program = try Program(arguments + ["--events"])
            #expect(try await program.waitForExit() == 0, "\(program.errors)")
            #expect(program.events.count > 2 && program.events.count == program.lines.count)
            #expect(program.eventsWithoutTime.isEmpty)
            guard arguments[0] == "load" else { return }
            let documented = try Self.documented("Events of other commands")
            for event in program.events {
                let keys = try #require(documented[try event.text("event")])
                #expect(Set(event.keys).subtracting(Self.common).isSubset(of: keys), "\(event.keys)")
            }
        }

        @Test("The event of serve has its time, too, and the keys that docs/cli.md lists")
        func serving() async throws {
            let trio = try await Trio()
            #expect(trio.server.eventsWithoutTime.isEmpty)
            let keys = Set(try #require(trio.server.events.first).keys).subtracting(Self.common)
            #expect(try keys == Self.documented("Events of other commands")["serving"])
        }

        // MARK: What is documented

        /// The table after a text: a set of keys for each name in its first column.
        private static func documented(_ heading: String) throws -> Keys {
            let text = try String(contentsOfFile: "docs/cli.md", encoding: .utf8)
            let rows = text.components(separatedBy: heading)[1].components(separatedBy: "\n")
                .drop { !$0.hasPrefix("| `") }.prefix { $0.hasPrefix("| `") }
            var keys: Keys = [:]
            for row in rows {
                let names = row.components(separatedBy: "|")[1...2].map { cell in
                    cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
                }
                for name in names[0] { keys[name] = Set(names[1]) }
            }
            return keys
        }

        private static func expect(_ found: Keys, _ documented: Keys) throws {
            try #require(documented.count > 5)
            for name in Set(found.keys).union(documented.keys).sorted() {
                #expect(found[name] == documented[name], "\(name)")
            }
        }

        // MARK: What is encoded

        private static func json(_ event: EventDocument) throws -> [String: Any] {
            let text = Data(Output.json(event, []).utf8)
            return try #require(JSONSerialization.jsonObject(with: text) as? [String: Any])
        }

        /// The keys of each event, without those that all events have.
        private static func keys(of events: [EventDocument]) throws -> Keys {
            var keys: Keys = [:]
            for event in try events.map(json) {
                #expect(common.isSubset(of: event.keys))
                keys[try event.text("event"), default: []].formUnion(Set(event.keys).subtracting(common))
            }
            return keys
        }

        /// The keys of every object below `object`, by its path; those of a list are those of its elements.
        private static func collect(_ object: [String: Any], at path: String, into keys: inout Keys) {
            if !path.isEmpty { keys[path, default: []].formUnion(object.keys) }
            for (key, value) in object where !others.contains(key) {
                let inner = value as? [[String: Any]] ?? (value as? [String: Any]).map { [$0] } ?? []
                for element in inner { collect(element, at: path.isEmpty ? key : "\(path).\(key)", into: &keys) }
            }
        }

        // MARK: One of each, with all its values

        private static let callEvents: [CallEvent] = {
            let first = CallEvent.stateChanged(.init(state: .ended, reason: .ended(.remoteHangup), by: .peer))
            return Array(sequence(first: first) { after($0) }).filter { $0 != .notice(.videoPending) }
                + notices.map { .notice($0) }
        }()

        private static let notices = Array(sequence(first: CallNotice.holdChanged(.held)) { after($0) })

        private static let agentEvents = Array(
            sequence(first: AgentEvent.stateChanged(.init(state: .failed, reason: .replaced, by: .peer))) { after($0) })

        // A new kind of event does not compile until it is here.
        private static func after(_ event: CallEvent) -> CallEvent? {
            switch event {
            case .stateChanged: .reached(.connected, milliseconds: 1)
            case .reached: .attributesChanged(attributes)
            case .attributesChanged: .notice(.videoPending)
            case .notice: .statistics(statistics)
            case .statistics: .extensionData(["ticket": "7"])
            case .extensionData: .eventsDropped(1)
            case .eventsDropped: nil
            }
        }

        private static func after(_ notice: CallNotice) -> CallNotice? {
            switch notice {
            case .holdChanged: .peerMediaChanged(MediaState())
            case .peerMediaChanged: .info("hello")
            case .info: .videoPending
            case .videoPending: .mediaChanged(.audioVideo)
            case .mediaChanged: .mediaChangeFailed(text: "no codec")
            case .mediaChangeFailed: .deviceRings("kitchen")
            case .deviceRings: .networkChangeStarted(by: .peer)
            case .networkChangeStarted: .networkChangeEnded(pathChange)
            case .networkChangeEnded: .dtmf(digit: "1")
            case .dtmf: .videoAdapted(videoChange)
            case .videoAdapted: .captureFailed(captureFault)
            case .captureFailed: .captureLost(captureFault)
            case .captureLost: .captureRestored(.video)
            case .captureRestored: .trackFailed(trackFault)
            case .trackFailed: .mediaWarning(text: "no TURN server")
            case .mediaWarning: .messageNotDelivered(type: "info", code: 404, text: "refused")
            case .messageNotDelivered: .auditUnanswered
            case .auditUnanswered: .signalingLost
            case .signalingLost: .signalingRestored
            case .signalingRestored: nil
            }
        }

        private static func after(_ event: AgentEvent) -> AgentEvent? {
            switch event {
            case .stateChanged: .signalingLost(text: "closed")
            case .signalingLost: .signalingRestored
            case .signalingRestored: .tokenWillExpire(milliseconds: 1)
            case .tokenWillExpire: .tokenRenewed
            case .tokenRenewed: .tokenNotRenewed(text: "there is no file")
            case .tokenNotRenewed: .refusedAsBusy(peer: "alice", callId: "c")
            case .refusedAsBusy: .inviteRefused(peer: "alice", callId: "c", code: 403)
            case .inviteRefused: .inviteExpired(peer: "alice", callId: "c", ageMs: 1)
            case .inviteExpired:
                .messageNotDelivered(peer: "alice", callId: "c", type: "info", code: 404, text: "refused")
            case .messageNotDelivered: .eventsDropped(1)
            case .eventsDropped: nil
            }
        }

        private static let size = FrameSize(width: 4, height: 2)

        private static let attributes = MediaAttributes(
            local: .init(audio: .on, video: .on, audioSource: "tone", videoSource: "test", frameSize: size),
            remote: .init(audio: .on, video: .on, frameSize: size))

        private static var pathChange: NetworkPathChange {
            let candidate = NetworkPath.Candidate(type: "host", address: "192.0.2.1", port: 9)
            let path = NetworkPath(local: candidate, remote: candidate)
            return NetworkPathChange(restart: 1, durationMs: 50, before: path, after: path)
        }

        private static let videoChange = VideoChange(
            from: .init(size: size, frameRate: 30), to: .init(size: size, frameRate: 15), reason: .bandwidth)

        private static let captureFault = CaptureFault(
            medium: .video, source: "v4l2:/dev/video0", cause: .lost, text: "gone", remedy: "plug it in")

        private static let trackFault = TrackFault(
            medium: .video, direction: .sending, element: "GstVP8Enc:encoder", text: "no memory", remedy: "add some")

        private static var statistics: CallStatistics {
            var inbound = StatisticsDelta.Inbound(kind: "video")
            (inbound.jitterBufferMs, inbound.framesPerSecond, inbound.audioLevel) = (1, 30, 0.5)
            (inbound.freezeCount, inbound.totalFreezesDurationMs, inbound.frameDelayMs) = (1, 400, 80)
            (inbound.frameWidth, inbound.frameHeight) = (4, 2)
            var outbound = StatisticsDelta.Outbound(kind: "video")
            (outbound.framesPerSecond, outbound.remoteFractionLost, outbound.remoteJitterMs) = (30, 0.1, 1)
            (outbound.frameWidth, outbound.frameHeight) = (4, 2)
            var delta = StatisticsDelta(seconds: 1)
            (delta.roundTripTimeMs, delta.inbound, delta.outbound) = (20, [inbound], [outbound])
            return CallStatistics(report: StatisticsReport(), delta: delta)
        }
    }
}
