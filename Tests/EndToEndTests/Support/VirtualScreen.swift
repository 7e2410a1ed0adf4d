import Foundation
import Logging
import MediaEngine
import Testing

/// An X server whose screen is only memory, and what is seen on it.
struct VirtualScreen {
    private static let path = "/usr/bin/Xvfb"
    /// Whether it is installed.
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// For the environment variable `DISPLAY`.
    let display: String
    private let server: Program
    private let source: CaptureSource

    init() async throws {
        let server = try Program(
            ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"], path: Self.path)
        try await eventually("the X server runs") { server.output.hasSuffix("\n") }
        self.server = server
        display = ":" + server.output.filter(\.isNumber)
        let format = VideoFormat(width: 200, height: 152, framesPerSecond: 10)
        source = try await MediaEngine.start(logger: .quiet).capture(
            VideoSource(name: "screen", choice: display, format: format))
    }

    /// The luma of what is on the screen.
    func picture() async throws -> [UInt8] {
        for await frame in try await source.pictures(.gray8) { return frame.bytes }
        return []
    }

    /// Waits until the screen shows what is expected.
    func shows(_ what: String, _ condition: ([UInt8]) -> Bool) async throws {
        try await eventually(what) { condition(try await picture()) }
    }

    func close() async throws {
        server.signal(SIGTERM)
        try await server.waitForExit()
    }
}
