/// A GStreamer pipeline as text, like the files in `pipelines/`.
///
/// Comment lines come first. The first is a summary; `# value NAME: ELEMENT.PROPERTY` names a placeholder. The rest is a launch line in `gst-launch`
/// syntax. In a source, `# loop: ELEMENT` names the demuxer of a file that is played in a loop. `# stamp: yes` burns a frame counter, a clock and a band
/// of waves into the frames, and adds a tick each second to mono audio in S16LE. In a video sink, a capsfilter named `size` keeps the size of the first
/// frame. Values are set as element properties after parsing and never become part of the text, so input of a user or a peer is never parsed as pipeline
/// syntax.
public struct PipelineDescription: Sendable, Equatable {
    /// The purpose of a description.
    public enum Role: String, Sendable, CaseIterable {
        case videoSource = "video-source"
        case audioSource = "audio-source"
        /// Video and audio that belong together.
        case avSource = "av-source"
        case encoder
        case decoder
        case videoSink = "video-sink"
        case audioSink = "audio-sink"
        case recorder

        /// The elements that the engine looks for by name.
        var requiredElements: [String] {
            switch self {
            case .videoSource, .audioSource: []
            case .avSource: ["video", "audio"]
            case .encoder: ["encoder", "payloader"]
            case .decoder: ["depayloader", "decoder"]
            case .videoSink, .audioSink: ["sink"]
            case .recorder: ["muxer"]
            }
        }
    }

    /// The name by which users choose it.
    public let name: String
    /// Its purpose.
    public let role: Role
    /// One sentence on what it does.
    public let summary: String
    /// The whole file, with LF line ends.
    public let text: String
    /// The file, for messages.
    let file: String
    let launchText: LaunchText
    /// The element and property that each placeholder stands for.
    let values: [String: Placeholder]
    /// The line of each placeholder's comment.
    private let valueLines: [String: Int]
    /// The demuxer of a looped file; nil for everything else.
    let loop: String?
    /// Whether a frame counter and a clock are burnt into the frames.
    let isStamped: Bool

    /// The launch line.
    public var launch: String { launchText.joined }
    /// The name of its file, whether the file exists or not.
    public var fileName: String { "\(name)-\(role.rawValue).launch" }

    /// The codec of an encoder or decoder, from the end of its name.
    var codec: Codec? {
        guard role == .encoder || role == .decoder else { return nil }
        return Codec.allCases.first { name.hasSuffix($0.rawValue) }
    }

    /// The target of a placeholder.
    struct Placeholder: Sendable, Equatable {
        let element: String
        let property: String
    }

    /// The maximum length of a file, in bytes.
    static let maximumBytes = 16_384

    /// Reads a description; `fileName` is of the form `NAME-ROLE.launch`, with or without a folder before it.
    ///
    /// - Throws: ``MediaError/invalidPipelineDescription(name:line:text:)``.
    public init(fileName: String, text: String) throws(MediaError) {
        let baseName = fileName.split(separator: "/").last.map(String.init) ?? fileName
        guard baseName.hasSuffix(".launch"),
            let role = Role.allCases.first(where: { baseName.hasSuffix("-\($0.rawValue).launch") }),
            !baseName.hasPrefix("-")
        else {
            let roles = Role.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidPipelineDescription(
                name: fileName, line: nil, text: "its file is not named NAME-ROLE.launch with a ROLE of \(roles)")
        }
        guard text.utf8.count <= Self.maximumBytes else {
            throw .invalidPipelineDescription(name: fileName, line: nil, text: "longer than \(Self.maximumBytes) bytes")
        }
        var summary = ""
        var values: [String: Placeholder] = [:]
        var valueLines: [String: Int] = [:]
        var launch = LaunchText()
        var loop: String?
        var isStamped = false
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard line.hasPrefix("#") else {
                launch.append(line, number: index + 1)
                continue
            }
            let comment = line.dropFirst().drop { $0 == " " }
            if comment.hasPrefix("value ") {
                let words = comment.dropFirst(6).split { $0 == ":" || $0 == " " || $0 == "." }
                guard words.count == 3 else {
                    throw .invalidPipelineDescription(
                        name: fileName, line: index + 1, text: "not of the form '# value NAME: ELEMENT.PROPERTY'")
                }
                values[String(words[0])] = Placeholder(element: String(words[1]), property: String(words[2]))
                valueLines[String(words[0])] = index + 1
            } else if !summary.isEmpty, comment.hasPrefix("loop: ") {
                loop = comment.dropFirst("loop: ".count).split(separator: " ").first.map(String.init)
            } else if !summary.isEmpty, comment.hasPrefix("stamp: ") {
                isStamped = comment.dropFirst("stamp: ".count) == "yes"
            } else if summary.isEmpty {
                summary = String(comment)
            }
        }
        name = String(baseName.dropLast(role.rawValue.count + ".launch".count + 1))
        file = fileName
        self.text = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "\n")
        self.role = role
        self.summary = summary
        self.values = values
        self.valueLines = valueLines
        self.loop = loop
        self.isStamped = isStamped
        launchText = launch
        guard !launch.joined.isEmpty else {
            throw .invalidPipelineDescription(name: fileName, line: nil, text: "has no launch line")
        }
    }

    /// Builds the bin and sets the placeholders.
    ///
    /// Values without a placeholder are ignored: the description has fixed them itself.
    func instantiate(_ chosen: [String: String] = [:]) throws(MediaError) -> Element {
        let bin: Element
        do throws(MediaError) {
            // A description for both kinds has two outputs, which the engine finds by name.
            bin = try Element(launch: launch, description: file, hasGhostPads: role != .avSource)
        } catch {
            guard case .invalidPipelineDescription(_, nil, let text) = error else { throw error }
            throw unusable(line: launchText.line(faultedBy: text) ?? launchText.firstLine, text)
        }
        for element in role.requiredElements where bin.child(element) == nil {
            throw unusable(
                line: launchText.firstLine,
                "has no element with name=\(element); the engine looks for it in a description of this role")
        }
        SpinningDecoder.avoid(in: bin)
        try set(chosen, on: bin)
        return bin
    }

    /// Sets placeholders of a bin built from this description, at any time.
    func set(_ chosen: [String: String], on bin: Element) throws(MediaError) {
        for (placeholder, value) in chosen.sorted(by: { $0.key < $1.key }) {
            guard let target = values[placeholder] else { continue }
            guard let element = bin.child(target.element) else { throw missing(target, of: placeholder) }
            try element.set(target.property, value)
        }
    }

    /// Whether calls work without it: for example a device that this machine may lack.
    public var isOptional: Bool {
        switch role {
        case .videoSource, .audioSource, .avSource: !["test", "tone"].contains(name)
        // Alternative encoders and decoders, and H265, which few peers support.
        case .encoder, .decoder: codec?.rawValue != name || codec == .h265
        case .videoSink, .audioSink: name != "discard"
        case .recorder: false
        }
    }

    /// Builds the bin once and discards it.
    ///
    /// - Throws: ``MediaError/pluginMissing(element:)`` and ``MediaError/invalidPipelineDescription(name:line:text:)``. Blocks for some ms.
    public func check() throws(MediaError) {
        try GStreamerLibrary.initialize()
        let bin = try instantiate()
        for (placeholder, target) in values.sorted(by: { $0.key < $1.key }) {
            guard let element = bin.child(target.element), element.has(target.property) else {
                throw missing(target, of: placeholder)
            }
        }
        try checkCodec(of: bin)
    }

    /// A description named after a codec must use that codec.
    private func checkCodec(of bin: Element) throws(MediaError) {
        guard let codec, let element = bin.child(role == .encoder ? "payloader" : "depayloader") else { return }
        let caps = try element.pad(role == .encoder ? "src" : "sink").possibleCaps
        let names = caps.flatMap { $0.fields?["encoding-name"]?.alternatives ?? [] }.compactMap(\.stringValue)
        guard !names.isEmpty, !names.contains(where: { $0.uppercased() == codec.encodingName }) else { return }
        let factory = element.factoryName ?? ""
        throw unusable(
            line: launchText.line(faultedBy: "could not link \(factory) to \(factory)"),
            "\(factory) is for \(names.joined(separator: ", ")), but the file's name says \(codec.encodingName)")
    }

    private func missing(_ target: Placeholder, of placeholder: String) -> MediaError {
        unusable(
            line: valueLines[placeholder],
            "'\(placeholder)' stands for \(target.element).\(target.property), which is not there")
    }

    private func unusable(line: Int?, _ text: String) -> MediaError {
        .invalidPipelineDescription(name: file, line: line, text: text)
    }
}
