internal import ArgumentParser

/// What a running call does at a time: `2s=hold`.
struct ScriptStep: Sendable, Equatable {
    /// What can be done.
    enum Action: Sendable, Equatable {
        case hold, unhold
        case muteAudio, unmuteAudio
        case muteVideo, unmuteVideo
        case stopVideo, startVideo
        case addVideo
        case info(String)
        case hangup
    }

    /// When, from the moment at which the call was connected.
    let time: DurationArgument
    let action: Action
    /// The action as it was written.
    let text: String

    private static let plain: [(name: String, action: Action)] = [
        ("hold", .hold), ("unhold", .unhold), ("mute-audio", .muteAudio), ("unmute-audio", .unmuteAudio),
        ("mute-video", .muteVideo), ("unmute-video", .unmuteVideo), ("stop-video", .stopVideo),
        ("start-video", .startVideo), ("add-video", .addVideo), ("hangup", .hangup),
    ]

    /// - Throws: a `ValidationError` that says what can be written.
    init(parsing argument: String) throws {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let time = DurationArgument(argument: parts[0]) else {
            throw ValidationError("use TIME=ACTION such as 2s=hold")
        }
        self.time = time
        text = parts[1]
        action = try Self.action(parts[1])
    }

    private static func action(_ text: String) throws -> Action {
        if text.hasPrefix("info:") { return .info(String(text.dropFirst("info:".count))) }
        if let known = plain.first(where: { $0.name == text }) { return known.action }
        let names = plain.map(\.name) + ["info:TEXT"]
        throw ValidationError("there is no action '\(text)'; use one of \(names.joined(separator: ", "))")
    }
}
