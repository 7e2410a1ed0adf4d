internal import Foundation
internal import Synchronization

/// A real Janus with its plugin VideoRoom, at the internet of a lab: it offers no candidates of a loopback interface.
package final class JanusServer: Sendable {
    /// The room that everybody may join; ``secret`` is its moderators'.
    package static let room = "1234"
    /// A room with the PIN `1234`, where one participant may publish.
    package static let closedRoom = "99"
    /// The secret of the moderators of ``room``.
    package static let secret = "moderator"
    /// Its WebSocket API.
    package static let url = "ws://\(NetworkLab.server):8188/"

    private static let path = "/usr/bin/janus"

    private let lab: NetworkLab
    private let folder: TemporaryFolder
    private let process = Mutex<ServerProcess?>(nil)

    /// Whether this machine can run it.
    package static let isPossible = NetworkLab.isPossible && FileManager.default.isExecutableFile(atPath: path)

    /// Starts it; returns when it listens.
    ///
    /// `options` are further lines of the room's configuration. Every request has to hold `apiSecret`, unless that is nil.
    package init(in lab: NetworkLab, options: [String] = [], apiSecret: String? = nil) async throws {
        self.lab = lab
        folder = try TemporaryFolder("janus")
        let unused = ["http", "rabbitmq", "mqtt", "nanomsg", "pfunix"].map { "libjanus_\($0).so" }
        _ = try folder.write(
            """
            general: { configs_folder = "\(folder.path)"\n\(apiSecret.map { "api_secret = \"\($0)\"" } ?? "") }
            transports: { disable = "\(unused.joined(separator: ","))" }
            """, to: "janus.jcfg")
        _ = try folder.write(
            #"general: { ws = true, ws_port = 8188 }"#,
            to: "janus.transport.websockets.jcfg")
        let room = [
            #"description = "everybody""#, "publishers = 16", #"secret = "\#(Self.secret)""#, "audiolevel_event = true",
            // A busy machine makes a browser's tone patchy: who sends any audio at all speaks.
            "audio_active_packets = 20", "audio_level_average = 110", #"videocodec = "vp8,h264""#,
        ]
        _ = try folder.write(
            """
            room-\(Self.room): { \((room + options).joined(separator: "\n")) }
            room-\(Self.closedRoom): { description = "closed"\npin = "1234"\npublishers = 1 }
            """, to: "janus.plugin.videoroom.jcfg")
        try await lab.waitUntilRunning(.internet, ["ra", "rb"])
        try await start()
    }

    deinit { stop() }

    /// Starts it, again after ``stop()``.
    package func start() async throws {
        let command = lab.command(at: .internet, Self.path, ["-F", folder.path])
        let server = try await ServerProcess(command.path, command.arguments) {
            try lab.inside(.internet, "ss", "-ltn").contains(":8188 ")
        }
        process.withLock { $0 = server }
    }

    /// Kills it; it forgets everybody.
    package func stop() { process.withLock { $0.take() }?.stop() }

    /// Stops or continues it like a server that hangs.
    package func setHanging(_ isHanging: Bool) {
        process.withLock { $0 }?.signal(isHanging ? SIGSTOP : SIGCONT)
    }
}
