internal import ArgumentParser
internal import MediaEngine

/// The command `callagent devices`.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Lists cameras and microphones with their formats.",
        discussion: "The first word of a line is the source for --video or --audio.")

    @Flag(help: "Print one JSON document; with --watch, one JSON object per line.")
    var json = false

    @Flag(help: "Keep running until interrupted, and report each device that is added or removed.")
    var watch = false

    @OptionGroup var log: LogOptions

    private struct Document: Encodable {
        let devices: [Device]
    }

    private struct Device: Encodable {
        let kind: String
        let name: String
        let source: String
        let formats: [Format]

        init(_ device: MediaDevice) {
            (kind, name, source) = (device.kind.rawValue, device.name, device.source)
            formats = device.formats.map(Format.init)
        }

        var line: String { "\(source.printable)  \(name.printable)" }
    }

    private struct Change: Encodable {
        let event: String
        /// When, in ms since 1970.
        let unixMs = Output.unixMs
        let device: Device

        init(_ change: DeviceChange) {
            switch change {
            case .added(let device): (event, self.device) = ("added", Device(device))
            case .removed(let device): (event, self.device) = ("removed", Device(device))
            }
        }
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
        let engine = try await ProgramEngine.start(nil, log)
        guard !watch else {
            let json = json
            return try await Interruption.handled { await Self.follow(engine.deviceChanges(), json: json) }
        }
        let devices = await engine.devices().map(Device.init)
        guard !json else { return Output.document(Document(devices: devices)) }
        if devices.isEmpty { Output.line("no cameras and no microphones") }
        for device in devices {
            Output.line(device.line)
            for format in device.formats { Output.line("    \(format.line.printable)") }
        }
    }

    private static func follow(_ changes: AsyncStream<DeviceChange>, json: Bool) async {
        for await change in changes {
            let change = Change(change)
            if json { Output.event(change) } else { Output.line("\(change.event)  \(change.device.line)") }
        }
    }
}
