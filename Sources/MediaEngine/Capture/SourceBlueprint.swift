internal import Foundation

/// Everything needed to build a source, as often as it is opened.
struct SourceBlueprint: Sendable {
    let source: MediaSource
    let catalog: PipelineCatalog

    /// Its name in messages: `v4l2:/dev/video0`.
    var label: String { source.label }

    /// The pipeline description of the source.
    ///
    /// - Throws: ``MediaError/unknownPipelineDescription(name:known:)``.
    func description() throws(MediaError) -> PipelineDescription {
        // A description for one kind takes precedence over one for both: it may be the user's own.
        if let both = try? catalog.description(source.name, role: .avSource),
            (try? catalog.description(source.name, role: source.role)) == nil
        {
            return both
        }
        if source.isDefaultMicrophone { return try catalog.description(Microphone.names[0], role: .audioSource) }
        return try catalog.description(source.name, role: source.role)
    }

    /// The kinds that it gives.
    func kinds() throws(MediaError) -> [MediaKind] {
        try description().role == .avSource ? MediaKind.allCases : [source.kind]
    }

    /// Builds the source; blocks, since it opens the device where the format depends on it.
    func build() throws(MediaError) -> SourceBin {
        if source.isDefaultMicrophone { return try bin(Microphone.choose(in: catalog), source.values) }
        let description = try description()
        if description.name == "v4l2", case .video(let video) = source {
            let camera = try Camera(video, description: description)
            return try bin(catalog.description(camera.descriptionName, role: .videoSource), camera.values)
        }
        return try bin(description, source.values)
    }

    /// Builds what it can without opening the device.
    func check() throws(MediaError) {
        if source.isDefaultMicrophone { return try Microphone.check(in: catalog) }
        if let path = source.path { try SourcePath.check(path, of: label) }
        if source.name == "screen" { try Screen.check(source) }
        if source.name == "rtsp" { try CameraURL.check(source.label) }
        _ = try parts(of: description(), source.values)
    }

    private func bin(_ description: PipelineDescription, _ values: [String: String]) throws(MediaError) -> SourceBin {
        let made = try parts(of: description, values)
        if case .video(let video) = source, let input = video.input { try input.bind(made.bin) }
        if case .audio(let audio) = source, let input = audio.input { try input.bind(made.bin) }
        return made
    }

    private func parts(
        of description: PipelineDescription, _ values: [String: String]
    ) throws(MediaError) -> SourceBin {
        var values = values
        // In a description for both kinds, `caps` is for the video.
        if description.role == .avSource { values["caps"] = source.format.caps }
        let bin = try description.instantiate(values)
        var pads: [MediaKind: Pad] = [:]
        if description.role == .avSource {
            for kind in MediaKind.allCases { pads[kind] = try bin.child(kind.rawValue)?.pad("src") }
        } else {
            pads[source.kind] = try bin.pad("src")
        }
        return SourceBin(
            bin: bin, pads: pads, loop: description.loop.flatMap { bin.child($0) }, isStamped: description.isStamped)
    }
}

/// Files and devices that sources name.
enum SourcePath {
    /// - Throws: ``MediaError/sourceFailed(source:fault:text:)`` when the path does not exist or is not readable.
    static func check(_ path: String, of label: String) throws(MediaError) {
        let kind = ["file:", "image:"].contains(where: label.hasPrefix) ? "file" : "device"
        guard FileManager.default.fileExists(atPath: path) else {
            throw .sourceFailed(source: label, fault: .notFound, text: "there is no \(kind) '\(path)'")
        }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw .sourceFailed(source: label, fault: .denied, text: "'\(path)' may not be read by this user")
        }
    }
}

/// The URLs of network cameras.
enum CameraURL {
    /// `label` is the URL without a password.
    ///
    /// - Throws: ``MediaError/sourceFailed(source:fault:text:)`` for a URL without a host, or with something else than a port behind it.
    static func check(_ label: String) throws(MediaError) {
        let rest = label.range(of: "://").map { label[$0.upperBound...] } ?? ""
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let match = place.wholeMatch(of: /(\[[^\[\]]+\]|[^\[\]:]+)(?::(?<port>\d+))?/)
        guard let match, match.port.map({ UInt16($0) != nil }) ?? true else {
            throw .sourceFailed(
                source: label, fault: .notFound, text: "no host and port in the URL; write rtsp://host[:port]/path")
        }
    }
}

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

/// A source that is built but not open yet.
struct SourceBin: Sendable {
    let bin: Element
    /// Its output pads, by kind.
    let pads: [MediaKind: Pad]
    /// The demuxer of a file that is played in a loop.
    var loop: Element?
    /// Whether a counter and a clock are burnt into the frames, and ticks are added to the audio.
    var isStamped = false
}
