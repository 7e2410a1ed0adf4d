/// A GStreamer pipeline written as text, as the files in `pipelines/` hold it.
///
/// Comment lines come first. The first is a summary; `# value NAME: ELEMENT.PROPERTY` names a placeholder. The rest is a
/// launch line in `gst-launch` syntax. Of a source, `# loop: ELEMENT` names the demuxer of a file that is played for ever, and `# stamp: yes`
/// burns a frame counter and a clock into the pictures. Values are set as element properties after parsing and never become part
/// of the text, so nothing that a user or a peer writes is parsed as pipeline syntax.
public struct PipelineDescription: Sendable, Equatable {
    /// What a description is for.
    public enum Role: String, Sendable, CaseIterable {
        case videoSource = "video-source"
        case audioSource = "audio-source"
        /// Pictures and sound that belong together.
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
            case .decoder: ["depayloader", "encoded", "decoder"]
            case .videoSink, .audioSink: ["sink"]
            case .recorder: ["muxer"]
            }
        }
    }

    /// Its name, which users choose it by.
    public let name: String
    /// What it is for.
    public let role: Role
    /// One sentence on what it does.
    public let summary: String
    /// The launch line.
    public internal(set) var launch: String
    /// The whole file, its lines ended by LF.
    public let text: String
    /// The element and property that each placeholder stands for.
    let values: [String: Placeholder]
    /// The demuxer of a file that is played for ever; nil for everything else.
    let loop: String?
    /// Whether a frame counter and a clock are burnt into the pictures.
    let isStamped: Bool

    /// The name that its file has, or would have.
    public var fileName: String { "\(name)-\(role.rawValue).launch" }

    /// What a placeholder stands for.
    struct Placeholder: Sendable, Equatable {
        let element: String
        let property: String
    }

    /// The longest file that is accepted, in bytes.
    static let maximumBytes = 16_384

    /// Reads a description; `fileName` is of the form `NAME-ROLE.launch`.
    ///
    /// - Throws: ``MediaError/invalidPipelineDescription(name:line:text:)``.
    public init(fileName: String, text: String) throws(MediaError) {
        guard fileName.hasSuffix(".launch"),
            let role = Role.allCases.first(where: { fileName.hasSuffix("-\($0.rawValue).launch") }),
            !fileName.hasPrefix("-")
        else {
            let roles = Role.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidPipelineDescription(
                name: fileName, line: nil, text: "its file is not named NAME-ROLE.launch with a ROLE of \(roles)")
        }
        let name = String(fileName.dropLast(role.rawValue.count + ".launch".count + 1))
        guard text.utf8.count <= Self.maximumBytes else {
            throw .invalidPipelineDescription(name: name, line: nil, text: "longer than \(Self.maximumBytes) bytes")
        }
        var summary = ""
        var values: [String: Placeholder] = [:]
        var launch: [Substring] = []
        var loop: String?
        var isStamped = false
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard line.hasPrefix("#") else {
                launch.append(line)
                continue
            }
            let comment = line.dropFirst().drop { $0 == " " }
            if comment.hasPrefix("value ") {
                let words = comment.dropFirst(6).split { $0 == ":" || $0 == " " || $0 == "." }
                guard words.count == 3 else {
                    throw .invalidPipelineDescription(
                        name: name, line: index + 1, text: "not of the form '# value NAME: ELEMENT.PROPERTY'")
                }
                values[String(words[0])] = Placeholder(element: String(words[1]), property: String(words[2]))
            } else if !summary.isEmpty, comment.hasPrefix("loop: ") {
                loop = String(comment.dropFirst("loop: ".count)).trimmingSpaces()
            } else if !summary.isEmpty, comment.hasPrefix("stamp: ") {
                isStamped = comment.dropFirst("stamp: ".count) == "yes"
            } else if summary.isEmpty {
                summary = String(comment)
            }
        }
        self.name = name
        self.text = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "\n")
        self.role = role
        self.summary = summary
        self.values = values
        self.loop = loop
        self.isStamped = isStamped
        self.launch = launch.joined(separator: " ").trimmingSpaces()
        guard !self.launch.isEmpty else {
            throw .invalidPipelineDescription(name: name, line: nil, text: "has no launch line")
        }
    }

    /// Builds the bin and sets the placeholders.
    ///
    /// A value without a placeholder is left out: the description has made that choice itself.
    func instantiate(_ chosen: [String: String] = [:]) throws(MediaError) -> Element {
        // Where there are two outputs, the engine takes them by name.
        let bin = try Element(launch: launch, description: name, hasGhostPads: role != .avSource)
        for element in role.requiredElements where bin.child(element) == nil {
            throw .invalidPipelineDescription(name: name, line: nil, text: "has no element with name=\(element)")
        }
        try set(chosen, on: bin)
        return bin
    }

    /// Sets placeholders of a bin that was built from this description, at any time.
    func set(_ chosen: [String: String], on bin: Element) throws(MediaError) {
        for (placeholder, value) in chosen.sorted(by: { $0.key < $1.key }) {
            guard let target = values[placeholder] else { continue }
            guard let element = bin.child(target.element) else {
                throw .invalidPipelineDescription(
                    name: name, line: nil, text: "'\(placeholder)' stands for \(target.element), which is not there")
            }
            try element.set(target.property, value)
        }
    }

    /// Whether calls work without it: a device that this machine may not have.
    public var isOptional: Bool {
        [.videoSource, .audioSource, .avSource].contains(role) && !["test", "tone"].contains(name)
    }

    /// Builds the bin once and throws it away.
    ///
    /// - Throws: ``MediaError/pluginMissing(element:)`` and ``MediaError/invalidPipelineDescription(name:line:text:)``. Blocks for some ms.
    public func check() throws(MediaError) {
        try GStreamerLibrary.initialize()
        let bin = try instantiate()
        for (placeholder, target) in values {
            guard let element = bin.child(target.element), element.has(target.property) else {
                throw .invalidPipelineDescription(
                    name: name, line: nil,
                    text: "'\(placeholder)' stands for \(target.element).\(target.property), which is not there")
            }
        }
    }
}

extension String {
    fileprivate func trimmingSpaces() -> String {
        let start = drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
