/// A v4l2 camera and the format chosen from those it supports.
struct Camera: Sendable {
    /// The pipeline description for the format that was chosen.
    let descriptionName: String
    /// The values of its placeholders.
    let values: [String: String]

    /// Opens the device for a moment; blocks.
    ///
    /// - Throws: ``MediaError/sourceFailed(source:fault:text:)``; its fault distinguishes a missing camera from one that is busy or not permitted.
    init(_ source: VideoSource, description: PipelineDescription) throws(MediaError) {
        let label = MediaSource.video(source).label
        var values = MediaSource.video(source).values
        values["choice"] = source.choice ?? "/dev/video0"
        let bin = try description.instantiate(values)
        guard let element = bin.child("source") else { throw .noPad(element: description.name, pad: "source") }
        let formats = try Self.formats(bin, of: element, label: label)
        guard let choice = CameraChoice(formats, for: source.format) else {
            throw .sourceFailed(
                source: label, fault: .unusable, text: "it gives neither raw frames nor JPEG nor H264")
        }
        values["native"] = choice.caps
        descriptionName = choice.encoding.descriptionName
        self.values = values
    }

    /// The formats that the element `source` within `bin` offers while its device is open.
    static func formats(_ bin: Element, of source: Element, label: String) throws(MediaError) -> [CameraFormat] {
        // The state change is made on the whole bin in a pipeline, because its bus has the reason for a failure.
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
