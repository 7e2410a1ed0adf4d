internal import ArgumentParser
internal import MediaEngine

/// The command `callagent devices`.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Lists cameras and microphones with their formats.",
        discussion: "The first word of each is what --video and --audio take.")

    @Flag(help: "Print one JSON document.")
    var json = false

    @OptionGroup var log: LogOptions

    private struct Document: Encodable {
        let devices: [Device]
    }

    private struct Device: Encodable {
        let kind: String
        let name: String
        let source: String
        let formats: [Format]
    }

    private struct Format: Encodable {
        let encoding: String
        let layout: String?
        let width: String?
        let height: String?
        let framesPerSecond: String?
        let sampleRate: String?
        let channels: String?

        init(_ format: DeviceFormat) {
            encoding = format.encoding
            layout = format.layout
            (width, height, framesPerSecond) = (format.width, format.height, format.framesPerSecond)
            (sampleRate, channels) = (format.sampleRate, format.channels)
        }

        /// For people.
        var line: String {
            let size = width.flatMap { width in height.map { "\(width)x\($0)" } }
            let parts = [
                encoding, layout, size, framesPerSecond.map { "\($0) fps" }, sampleRate.map { "\($0) Hz" },
                channels.map { "\($0) channels" },
            ]
            return parts.compactMap(\.self).joined(separator: " ")
        }
    }

    func run() async throws {
        let engine = try await Engine.start(nil, logger: log.logger("media"))
        let devices = await engine.devices().map { device in
            Device(
                kind: device.kind.rawValue, name: device.name, source: device.source,
                formats: device.formats.map(Format.init))
        }
        guard !json else { return Output.document(Document(devices: devices)) }
        if devices.isEmpty { Output.line("no cameras and no microphones") }
        for device in devices {
            Output.line("\(device.source.printable)  \(device.name.printable)")
            for format in device.formats { Output.line("    \(format.line.printable)") }
        }
    }
}
