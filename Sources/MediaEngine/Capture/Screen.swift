internal import Foundation

/// The requirements of capturing a screen.
enum Screen {
    /// - Throws: ``MediaError/sourceFailed(source:fault:text:)`` when there is no display to capture.
    static func check(
        _ source: MediaSource, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(MediaError) {
        guard source.text == "screen", environment["DISPLAY"]?.isEmpty ?? true else { return }
        let isWayland = environment["WAYLAND_DISPLAY"]?.isEmpty == false
        throw .sourceFailed(
            source: source.text, fault: .notFound,
            text: isWayland
                ? "Wayland gives its screens through a portal only; use a pipeline description of your own with pipewiresrc"
                : "DISPLAY is not set; name the display, such as screen::0")
    }
}
