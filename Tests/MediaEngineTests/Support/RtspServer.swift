import Foundation
import TestServers
import Testing

/// A network camera: GStreamer's RTSP server in its own process, which a test can kill and start again.
final class RtspServer: Sendable {
    /// The Python for which Debian packages install their modules.
    private static let python = "/usr/bin/python3"

    /// Whether `python3-gi` and `gir1.2-gst-rtsp-server-1.0` are installed.
    static let isInstalled: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = ["-c", "import gi; gi.require_version('GstRtspServer', '1.0')"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// Serves white frames in H264 and a tone of 700 Hz in A-law below `/cam`.
    private static let program = """
        import gi, sys
        gi.require_version('Gst', '1.0')
        gi.require_version('GstRtspServer', '1.0')
        from gi.repository import Gst, GstRtspServer, GLib
        Gst.init(None)
        server = GstRtspServer.RTSPServer()
        server.set_address('127.0.0.1')
        server.set_service(sys.argv[1])
        if sys.argv[3] == 'locked':
            auth = GstRtspServer.RTSPAuth()
            token = GstRtspServer.RTSPToken()
            token.set_string('media.factory.role', 'user')
            auth.add_basic(GstRtspServer.RTSPAuth.make_basic('user', 'word'), token)
            server.set_auth(auth)
        for path in ['/cam']:
            factory = GstRtspServer.RTSPMediaFactory()
            factory.set_launch('( videotestsrc is-live=true pattern=' + sys.argv[2] + ' ! video/x-raw,width=320,height=240,framerate=15/1 '
                '! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! rtph264pay name=pay0 pt=96 '
                'audiotestsrc is-live=true freq=700 ! audio/x-raw,rate=8000 ! alawenc ! rtppcmapay name=pay1 pt=8 )')
            factory.set_shared(True)
            permissions = GstRtspServer.RTSPPermissions()
            permissions.add_permission_for_role('user', 'media.factory.access', True)
            permissions.add_permission_for_role('user', 'media.factory.construct', True)
            if sys.argv[3] == 'locked':
                factory.set_permissions(permissions)
            server.get_mount_points().add_factory(path, factory)
        server.attach(None)
        print(server.get_bound_port(), flush=True)
        GLib.MainLoop().run()
        """

    let port: Int
    private let process: Process
    private let output: ProcessOutput

    /// Starts the server.
    ///
    /// With `port` 0 the system chooses the port. A locked server wants the user `user` with the password `word`.
    init(port: Int = 0, pattern: String = "white", isLocked: Bool = false) async throws {
        let process = Process()
        process.executableURL = URL(filePath: Self.python)
        process.arguments = ["-c", Self.program, String(port), pattern, isLocked ? "locked" : "open"]
        process.standardError = FileHandle.nullDevice
        let said = Shared("")
        output = try ProcessOutput { data in said.update { $0 += String(decoding: data, as: UTF8.self) } }
        process.standardOutput = output.writingEnd
        try process.run()
        output.began()
        self.process = process
        try await eventually("the RTSP server's port") { said.value.hasSuffix("\n") }
        self.port = try #require(Int(said.value.split(separator: "\n").first ?? ""))
    }

    func url(scheme: String = "rtsp", user: String = "") -> String {
        "\(scheme)://\(user)127.0.0.1:\(port)/cam"
    }

    /// Ends the server like a power cut.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    deinit { kill() }
}
