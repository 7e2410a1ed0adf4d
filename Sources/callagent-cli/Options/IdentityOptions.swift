internal import ArgumentParser
internal import CallAgent

/// The device of a user, and what the user sends about itself.
struct IdentityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The name of this device. All devices of a user ring at once. Default: main.", valueName: "name"))
    var device: String?

    @Option(help: ArgumentHelp("The caller's name that callees get.", valueName: "text"))
    var displayName: String?

    @Option(help: ArgumentHelp("The caller's address that callees get.", valueName: "user@domain"))
    var address: String?

    @Option(
        name: .customLong("extension"),
        help: ArgumentHelp("Data for the peer's application, sent with each call (repeatable).", valueName: "key=value")
    )
    var extensionData: [KeyValue] = []

    /// ``extensionData`` as a dictionary; the last value of a key counts.
    var extensionTable: [String: String] {
        Dictionary(extensionData.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }

    func validate() throws {
        guard device.map(SignalingLimits.isName) ?? true else {
            throw ValidationError(
                "'\(device ?? "")' is no device name: use 1 to 64 ASCII letters, digits and . _ - @ + :")
        }
        for (option, text) in [("--display-name", displayName), ("--address", address)] {
            guard SignalingLimits.isText(text ?? "") else {
                throw ValidationError("\(option) takes at most \(SignalingLimits.textBytes) bytes")
            }
        }
        guard SignalingLimits.isExtension(extensionTable) else {
            throw ValidationError(
                "--extension takes at most \(SignalingLimits.extensionEntries) keys of 1 to 64 ASCII letters, digits and "
                    + ". _ - @ + :, and \(SignalingLimits.extensionBytes) bytes in all")
        }
    }
}

/// A key and a value, written `KEY=VALUE`.
struct KeyValue: ExpressibleByArgument, Equatable {
    let key: String
    let value: String

    init?(argument: String) {
        guard let mark = argument.firstIndex(of: "="), mark > argument.startIndex else { return nil }
        key = String(argument[..<mark])
        value = String(argument[argument.index(after: mark)...])
    }
}
