import Logging
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite(
        "A network camera",
        .enabled(if: RtspServer.isInstalled, "apt install python3-gi gir1.2-gst-rtsp-server-1.0")
    ) struct RtspSourceTests {
        private func options(_ url: String) async throws -> LoopbackCall.Options {
            var options = LoopbackCall.Options()
            options.callerVideo = try VideoSource(parsing: url, format: VideoFormat(width: 320, height: 240))
            options.callerAudio = try AudioSource(parsing: url)
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            options.engine = try await Engine.start(
                pipelineFolder: nil,
                captureTiming: CaptureTiming(
                    silence: .seconds(3), firstRetry: .milliseconds(200), longestRetry: .seconds(1)),
                logger: logger)
            return options
        }

        @Test("Its video and audio arrive over TCP and over UDP", arguments: ["rtsp", "rtspu"])
        func plays(scheme: String) async throws {
            let server = try await RtspServer()
            try await withCall(options(server.url(scheme: scheme))) { call in
                try await call.connect()
                let log = try await ReceivedLog(call.callee)
                let heard = try await DecodedWatch(call.callee, .audio)
                try await eventually("its video; \(String(describing: log.last))") { (log.last?.mean ?? 0) > 200 }
                try await eventually("its tone") {
                    heard.listenAnew()
                    return try await abs(heard.steadyTone() - 700) < 10
                }
                #expect(call.caller.events.allSatisfy { if case .captureLost = $0 { false } else { true } })
            }
        }

        @Test("Its video returns after a restart, and a moving test pattern replaces it meanwhile")
        func restarted() async throws {
            var server = try await RtspServer()
            try await withCall(options(server.url())) { call in
                try await call.connect()
                let log = try await ReceivedLog(call.callee)
                let watch = try await DecodedWatch(call.callee, .video)
                try await eventually("its video") { (log.last?.mean ?? 0) > 200 }
                let port = server.port
                server.kill()
                try await eventually("the test pattern") { (log.last?.mean ?? 255) < 100 }
                let changes = watch.changes
                try await eventually("a test pattern that moves") { watch.changes > changes + 10 }
                #expect(call.caller.count(.captureRestored(.video)) == 0)
                server = try await RtspServer(port: port)
                try await eventually("its video again", within: .seconds(20)) { (log.last?.mean ?? 0) > 200 }
                #expect(call.caller.count(.captureRestored(.video)) == 1)
                #expect(call.caller.failure == nil && call.callee.failure == nil)
            }
        }

        @Test("A camera that starts after the call is shown as soon as it is available")
        func late() async throws {
            let first = try await RtspServer()
            let port = first.port
            first.kill()
            try await withCall(options(first.url())) { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                let server = try await RtspServer(port: port)
                let log = try await ReceivedLog(call.callee)
                try await eventually("its video", within: .seconds(20)) { (log.last?.mean ?? 0) > 200 }
                server.kill()
            }
        }

        @Test("A camera with a password needs the password, and refuses access without it")
        func password() async throws {
            let server = try await RtspServer(isLocked: true)
            try await withCall(options(server.url(user: "user:word@"))) { call in
                try await call.connect()
                let log = try await ReceivedLog(call.callee)
                try await eventually("its video") { (log.last?.mean ?? 0) > 200 }
            }
            try await withCall(options(server.url())) { call in
                try await call.connect()
                try await eventually("the refusal; so far \(call.caller.events)") {
                    call.caller.events.contains {
                        if case .captureLost(_, .sourceFailed(_, .denied, _)) = $0 { true } else { false }
                    }
                }
            }
        }
    }
}
