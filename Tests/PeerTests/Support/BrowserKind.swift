import Foundation
import Testing

/// The browsers that are tested as peers.
enum BrowserKind: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case chromium
    case firefox

    var testDescription: String { rawValue }

    private var programs: [String] {
        switch self {
        case .chromium: [Chromium.path, Chromium.driverPath]
        case .firefox: [Firefox.path]
        }
    }

    /// Skips the test on a machine without the browser (Debian's packages: chromium and chromium-driver, firefox-esr).
    func require() throws {
        guard let missing = programs.first(where: { !FileManager.default.isExecutableFile(atPath: $0) }) else { return }
        try Test.cancel("there is no \(missing)")
    }

    /// Starts a browser without a window, with a fake camera and microphone.
    func start(_ options: BrowserOptions = BrowserOptions()) async throws -> any Browser {
        switch self {
        case .chromium: try await Chromium(options)
        case .firefox: try await Firefox(options)
        }
    }

    /// The pitch of the fake microphone, in Hz.
    var microphoneHertz: Double { self == .firefox ? 1_000 : 800 }
}

/// The settings of a browser.
struct BrowserOptions: Sendable {
    /// Whether a page gets a camera and a microphone.
    var allowsDevices = true
    /// Whether candidates have mDNS names instead of addresses.
    ///
    /// These names cannot be resolved here.
    var hidesAddresses = false
    /// The words in front of Chromium's command, such as those that run it in a network namespace.
    var prefix: [String] = []
    /// An origin whose pages get a camera and a microphone in Chromium although their connection is not encrypted.
    var trustedOrigin: String?
}
