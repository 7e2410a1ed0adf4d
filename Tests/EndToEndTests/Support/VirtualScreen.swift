import Foundation
import Logging
import Synchronization
import Testing

@testable import MediaEngine

/// An X server whose screen is only memory, and what is seen on it.
final class VirtualScreen: Sendable {
    private static let path = "/usr/bin/Xvfb"
    /// Whether it is installed.
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// For the environment variable `DISPLAY`.
    let display: String
    private let server: Program
    private let source: CaptureSource
    private let latest = Mutex<[UInt8]>([])

    private init() async throws {
        let server = try Program(
            ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"], path: Self.path)
        try await eventually("the X server runs") { server.output.hasSuffix("\n") }
        self.server = server
        display = ":" + server.output.filter(\.isNumber)
        let format = VideoFormat(width: 200, height: 152, framesPerSecond: 10)
        source = try await MediaEngine.start(logger: .quiet).capture(
            VideoSource(name: "screen", choice: display, format: format))
    }

    /// The luma of what is on the screen at present; empty before it was seen.
    var picture: [UInt8] { latest.withLock { $0 } }

    /// Waits until the screen shows what is expected.
    func shows(_ what: String, _ condition: ([UInt8]) -> Bool) async throws {
        try await eventually(what) { !picture.isEmpty && condition(picture) }
    }

    private func look() async throws -> Task<Void, Never> {
        let frames = try await source.pictures(.gray8)
        return Task { for await frame in frames { latest.withLock { $0 = frame.bytes } } }
    }

    /// Hands a screen to `body` and closes it whatever happens.
    static func use(_ body: (VirtualScreen) async throws -> Void) async throws {
        let screen = try await VirtualScreen()
        let looking = try await screen.look()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(screen))
        } catch {
            result = .failure(error)
        }
        looking.cancel()
        // A program whose X server goes away is ended by Xlib.
        try await eventually("nobody looks any more") { await !screen.source.isOpen }
        screen.server.signal(SIGKILL)
        try await screen.server.waitForExit()
        try result.get()
    }
}
