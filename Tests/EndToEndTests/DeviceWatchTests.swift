import Foundation
import Testing

extension EndToEnd {
    /// `devices --watch` against a sound service of the test's own.
    @Suite struct DeviceWatchTests {
        @Test(
            "A microphone that is there, one that comes and one that goes are told, each once",
            .enabled(if: SoundService.isInstalled, "there is no PipeWire daemon; install pipewire-bin"))
        func microphones() async throws {
            let service = try await SoundService()
            try await service.add("first")
            let watch = try Program(["devices", "--watch", "--json"], environment: service.environment)
            try await eventually("the one that is there; so far \(watch.output)") { told("added", "first", watch) == 1 }
            try await service.add("second")
            try await eventually("the one that comes") { told("added", "second", watch) == 1 }
            try await service.remove("first")
            try await eventually("the one that goes") { told("removed", "first", watch) == 1 }
            try await service.add("first")
            try await eventually("the one that is back") { told("added", "first", watch) == 2 }
            #expect(told("added", "second", watch) == 1 && told("removed", "second", watch) == 0)
            let source =
                try #require(
                    watch.events.first { name($0) == "first" }?["device"] as? [String: Any])["source"] as? String
            #expect(source?.hasPrefix("pipewire:") == true)
            watch.signal(SIGINT)
            #expect(try await watch.waitForExit() == 130, "\(watch.errors)")
            await service.stop()
        }

        private func told(_ event: String, _ device: String, _ program: Program) -> Int {
            program.events.count { $0["event"] as? String == event && name($0) == device }
        }

        private func name(_ event: [String: Any]) -> String? { (event["device"] as? [String: Any])?["name"] as? String }
    }
}

/// A PipeWire daemon in a folder of its own, whose microphones are made by the test.
private final class SoundService: Sendable {
    let environment: [String: String]
    private let daemon: Program
    private let folder = Folder()
    private static let tools = ["/usr/bin/pipewire", "/usr/bin/pw-cli"]

    static var isInstalled: Bool { tools.allSatisfy(FileManager.default.isExecutableFile(atPath:)) }

    init() async throws {
        environment = [
            "XDG_RUNTIME_DIR": folder.path("."), "PIPEWIRE_RUNTIME_DIR": folder.path("."),
            "XDG_CONFIG_HOME": folder.path("."),
        ]
        try FileManager.default.createDirectory(
            atPath: folder.path("pipewire/pipewire.conf.d"), withIntermediateDirectories: true)
        _ = try folder.write(
            "context.spa-libs = { audiotestsrc = audiotestsrc/libspa-audiotestsrc }",
            "pipewire/pipewire.conf.d/sources.conf")
        daemon = try Program([], path: Self.tools[0], environment: environment)
        let socket = folder.path("pipewire-0")
        let daemon = daemon
        try await eventually("PipeWire listens; it said \(daemon.errors)") {
            FileManager.default.fileExists(atPath: socket)
        }
    }

    func add(_ name: String) async throws {
        try await tell([
            "create-node", "adapter",
            "{ factory.name=audiotestsrc node.name=\(name) node.description=\(name) media.class=Audio/Source "
                + "object.linger=true }",
        ])
    }

    func remove(_ name: String) async throws { try await tell(["destroy", name]) }

    func stop() async {
        daemon.signal(SIGTERM)
        _ = try? await daemon.waitForExit()
    }

    private func tell(_ arguments: [String]) async throws {
        let tool = try Program(arguments, path: Self.tools[1], environment: environment)
        #expect(try await tool.waitForExit() == 0, "\(tool.errors)")
    }
}
