/// A v4l2 camera that was asked what it can do.
struct Camera: Sendable {
    /// The pipeline description for the format that was chosen.
    let descriptionName: String
    /// Its placeholders.
    let values: [String: String]

    /// Opens the device for a moment; blocks.
    ///
    /// - Throws: ``MediaError/sourceFailed(source:fault:text:)`` that tells a camera that is not there from one that is busy or not allowed.
    init(_ source: VideoSource, description: PipelineDescription) throws(MediaError) {
        let label = MediaSource.video(source).label
        var values = MediaSource.video(source).values
        values["choice"] = source.choice ?? "/dev/video0"
        let bin = try description.instantiate(values)
        guard let element = bin.child("source") else { throw .noPad(element: description.name, pad: "source") }
        let formats = try Self.formats(bin, of: element, label: label)
        guard let choice = CameraChoice(formats, for: source.format) else {
            throw .sourceFailed(
                source: label, fault: .unusable, text: "it gives neither raw pictures nor JPEG nor H264")
        }
        values["native"] = choice.caps
        descriptionName = choice.encoding.descriptionName
        self.values = values
    }

    /// What the element `source` within `bin` can give with its device open.
    static func formats(_ bin: Element, of source: Element, label: String) throws(MediaError) -> [CameraFormat] {
        // The state is asked of the whole bin in a pipeline, whose bus has the reason when it fails.
        let pipeline = try Pipeline(name: "probe", timeBase: .ownStart)
        pipeline.bin.add(bin)
        let reasons = FirstReason()
        pipeline.bus.watch { message in
            if case .error(_, let text, let debug, let fault) = message {
                let detail = debug.split(separator: "\n").last.map { " (\($0))" } ?? ""
                reasons.note(.sourceFailed(source: label, fault: fault, text: text + detail))
            }
        }
        defer { pipeline.stop() }
        do {
            try bin.setState(.ready)
        } catch {
            throw reasons.value ?? error
        }
        return try source.pad("src").possibleCaps.compactMap(CameraFormat.init)
    }
}
