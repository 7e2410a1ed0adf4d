internal import Foundation

/// Everything that is needed to build a sink.
struct SinkBlueprint: Sendable {
    let kind: MediaKind
    let name: String
    let choice: String?
    let catalog: PipelineCatalog

    init(_ sink: VideoSink, _ catalog: PipelineCatalog) {
        (kind, name, choice, self.catalog) = (.video, sink.name, sink.choice, catalog)
    }

    init(_ sink: AudioSink, _ catalog: PipelineCatalog) {
        (kind, name, choice, self.catalog) = (.audio, sink.name, sink.choice, catalog)
    }

    /// The name in messages, such as `alsa:hw:1`.
    var label: String { choice.map { "\(name):\($0)" } ?? name }

    /// Whether there is nothing to build.
    var isDiscard: Bool { name == "discard" }

    /// Whether several of it can be open: a window, but no device.
    var isShareable: Bool { name == "window" }

    /// The possible descriptions, best first.
    private var names: [String] {
        kind == .audio && name == "speaker" ? ["pipewire", "pulse", "alsa"] : [name]
    }

    private var role: PipelineDescription.Role { kind == .video ? .videoSink : .audioSink }

    /// Builds the sink, from several descriptions the first whose device opens; blocks meanwhile.
    func build() throws(MediaError) -> Element {
        var words: [String] = []
        for name in names {
            do throws(MediaError) {
                let bin = try instantiate(name)
                if names.count > 1 { try Self.open(bin) }
                return bin
            } catch {
                if names.count == 1 { throw error }
                words.append("\(name): \(error)")
            }
        }
        throw .sinkFailed(sink: label, text: words.joined(separator: "; "))
    }

    private static func open(_ bin: Element) throws(MediaError) {
        do throws(MediaError) {
            try bin.setState(.ready)
        } catch {
            // GStreamer requires that an element is stopped before it is freed, even one that did not start.
            try? bin.setState(.null)
            throw error
        }
    }

    /// Checks what can be checked without opening the device.
    func check(environment: [String: String] = ProcessInfo.processInfo.environment) throws(MediaError) {
        if name == "window" { try checkDisplay(environment) }
        if name == "v4l2", !FileManager.default.isWritableFile(atPath: choice ?? "/dev/video0") {
            throw .sinkFailed(
                sink: label, text: "there is no such device that can be written to; modprobe v4l2loopback makes one")
        }
        var missing: MediaError?
        for name in names {
            do throws(MediaError) {
                _ = try instantiate(name)
                return
            } catch {
                missing = missing ?? error
            }
        }
        if let missing { throw missing }
    }

    /// Without its plugin, `autovideosink` would silently discard the frames.
    private func checkDisplay(_ environment: [String: String]) throws(MediaError) {
        let displays = [("DISPLAY", "ximagesink"), ("WAYLAND_DISPLAY", "waylandsink")].filter {
            environment[$0.0]?.isEmpty == false
        }
        guard let first = displays.first else {
            throw .sinkFailed(sink: label, text: "neither DISPLAY nor WAYLAND_DISPLAY is set")
        }
        guard displays.contains(where: { GStreamerLibrary.hasElement($0.1) }) else {
            throw .pluginMissing(element: first.1)
        }
    }

    private func instantiate(_ name: String) throws(MediaError) -> Element {
        try catalog.description(name, role: role).instantiate(choice.map { ["choice": $0] } ?? [:])
    }
}
