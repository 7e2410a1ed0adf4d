import Foundation
import Testing

/// An X server whose screen is only a file, and a look at that screen.
///
/// The tests read the file and never connect: Xlib ends a process whose server exits.
final class VirtualScreen: Sendable {
    private static let path = "/usr/bin/Xvfb"
    /// Whether it is installed.
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// The value of the environment variable `DISPLAY`.
    let display: String
    private let server: Program
    private let folder = Folder()
    private let bytes = 800 * 600 * 4

    init() async throws {
        // Without this option the server resets after its last client and refuses new clients meanwhile.
        let options = ["-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"]
        server = try Program(["-displayfd", "1", "-fbdir", folder.path(".")] + options, path: Self.path)
        let server = server
        try await eventually("the X server runs") { server.output.hasSuffix("\n") }
        display = ":" + server.output.filter(\.isNumber)
    }

    /// The brightness of the screen, 0 to 255: the mean green of a hundredth of its pixels.
    ///
    /// The file has the format of xwd: a header, a palette, and four bytes for each pixel. The second byte is green.
    private var brightness: Int {
        get throws {
            let file = try Data(contentsOf: URL(fileURLWithPath: folder.path("Xvfb_screen0")))
            try #require(file.count > bytes)
            let greens = stride(from: file.count - bytes + 1, to: file.count, by: 4 * 101).map { Int(file[$0]) }
            return greens.reduce(0, +) / greens.count
        }
    }

    /// Waits until the screen has the expected brightness.
    func shows(_ what: String, _ condition: (Int) -> Bool) async throws {
        try await eventually(what) { condition(try brightness) }
    }
}
