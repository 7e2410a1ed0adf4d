import Foundation
import Testing

/// A PipeWire daemon in its own folder, which also supports PulseAudio's protocol.
///
/// It has an output, `room`. Audio that is played there can be captured from the microphone `voice`, or `room.monitor` in PulseAudio.
final class PipeWire: Sendable {
    /// The environment of programs that use PipeWire's protocol.
    let environment: [String: String]
    /// The environment of programs that use PulseAudio's protocol.
    var pulse: [String: String] { ["PULSE_SERVER": "unix:" + folder.path("pulse")] }
    private let daemon: Program
    /// The session manager, which connects programs with the devices that they name.
    private let sessions: Program
    private let folder = Folder()
    private static let (pipewire, wireplumber, tool) = ("/usr/bin/pipewire", "/usr/bin/wireplumber", "/usr/bin/pw-cli")

    static var isInstalled: Bool {
        [pipewire, wireplumber, tool].allSatisfy(FileManager.default.isExecutableFile(atPath:))
    }

    init() async throws {
        environment = [
            "XDG_RUNTIME_DIR": folder.path("."), "PIPEWIRE_RUNTIME_DIR": folder.path("."),
            "XDG_CONFIG_HOME": folder.path("."), "XDG_STATE_HOME": folder.path("."), "HOME": folder.path("."),
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + folder.path("none"),
        ]
        try FileManager.default.createDirectory(
            atPath: folder.path("pipewire/pipewire.conf.d"), withIntermediateDirectories: true)
        _ = try folder.write(
            """
            context.spa-libs = { audiotestsrc = audiotestsrc/libspa-audiotestsrc }
            context.modules = [
                { name = libpipewire-module-protocol-pulse args = { server.address = [ "unix:\(folder.path("pulse"))" ] } }
                { name = libpipewire-module-loopback args = {
                    capture.props = { node.name = ear stream.capture.sink = true target.object = room }
                    playback.props = { node.name = voice media.class = Audio/Source }
                } }
            ]
            context.objects = [
                { factory = adapter args = {
                    factory.name = support.null-audio-sink node.name = room media.class = Audio/Sink
                } }
            ]
            """, "pipewire/pipewire.conf.d/test.conf")
        daemon = try Program([], path: Self.pipewire, environment: environment)
        let sockets = ["pipewire-0", "pulse"].map(folder.path)
        let daemon = daemon
        try await eventually("PipeWire listens; it said \(daemon.errors)") {
            sockets.allSatisfy(FileManager.default.fileExists(atPath:))
        }
        sessions = try Program(["-c", "policy.conf"], path: Self.wireplumber, environment: environment)
    }

    /// Adds a microphone.
    func add(_ name: String) async throws {
        try await tell([
            "create-node", "adapter",
            "{ factory.name=audiotestsrc node.name=\(name) node.description=\(name) media.class=Audio/Source "
                + "object.linger=true }",
        ])
    }

    func remove(_ name: String) async throws { try await tell(["destroy", name]) }

    func stop() async throws {
        for program in [sessions, daemon] {
            program.signal(SIGKILL)
            try await program.waitForExit()
        }
    }

    private func tell(_ arguments: [String]) async throws {
        let tool = try Program(arguments, path: Self.tool, environment: environment)
        #expect(try await tool.waitForExit() == 0, "\(tool.errors)")
    }
}
