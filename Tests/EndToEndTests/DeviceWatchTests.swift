import Foundation
import Testing

extension EndToEnd {
    /// `devices --watch` with an audio service that the test runs.
    @Suite struct DeviceWatchTests {
        @Test(
            "A present, an added and a removed microphone are each reported once",
            .enabled(if: PipeWire.isInstalled, "there is no PipeWire; install pipewire-bin and wireplumber"))
        func microphones() async throws {
            let service = try await PipeWire()
            try await service.add("first")
            let watch = try Program(["devices", "--watch", "--json"], environment: service.environment)
            try await eventually("the one that is there; so far \(watch.output)") {
                reported("added", "first", watch) == 1
            }
            try await service.add("second")
            try await eventually("the one that comes") { reported("added", "second", watch) == 1 }
            try await service.remove("first")
            try await eventually("the one that goes") { reported("removed", "first", watch) == 1 }
            try await service.add("first")
            try await eventually("the one that is back") { reported("added", "first", watch) == 2 }
            #expect(reported("added", "second", watch) == 1 && reported("removed", "second", watch) == 0)
            let source =
                try #require(
                    watch.events.first { name($0) == "first" }?["device"] as? [String: Any])["source"] as? String
            #expect(source?.hasPrefix("pipewire:") == true)
            #expect(watch.eventsWithoutTime.isEmpty)
            #expect(watch.events.allSatisfy { Set($0.keys) == ["event", "unixMs", "device"] })
            watch.signal(SIGINT)
            #expect(try await watch.waitForExit() == 130, "\(watch.errors)")
            try await service.stop()
        }

        private func reported(_ event: String, _ device: String, _ program: Program) -> Int {
            program.events.count { $0["event"] as? String == event && name($0) == device }
        }

        private func name(_ event: [String: Any]) -> String? { (event["device"] as? [String: Any])?["name"] as? String }
    }
}
