internal import ArgumentParser
internal import MediaEngine

/// What a running call does at a time: `2s=hold`.
struct ScriptStep: Sendable, Equatable {
    /// What can be done.
    enum Action: Sendable, Equatable {
        case hold, unhold
        case muteAudio, unmuteAudio
        case muteVideo, unmuteVideo
        case stopVideo, startVideo
        case outputOff, outputOn
        case addVideo
        case info(String)
        /// Keys of a telephone.
        case dtmf(String)
        /// Other pictures of the same size, or none.
        case video(VideoSource?)
        case videoSize(VideoFormat)
        case orientation(VideoOrientation)
        /// Another sound, or none.
        case audio(AudioSource?)
        case audioProcessing(AudioProcessing)
        /// The peer's picture into this file.
        case snapshot(String)
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
        ("start-video", .startVideo), ("add-video", .addVideo), ("output-off", .outputOff), ("output-on", .outputOn),
        ("hangup", .hangup),
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
        if let content = text.rest(after: "info:") { return .info(content) }
        if let keys = text.rest(after: "dtmf:") {
            guard (1...PeerConnection.maximumDigits).contains(keys.count), keys.allSatisfy({ DtmfDigit($0) != nil })
            else {
                throw ValidationError(
                    "'\(keys)' are no keys; use 1 to \(PeerConnection.maximumDigits) of 0 to 9, *, # and A to D")
            }
            return .dtmf(keys)
        }
        do throws(MediaError) {
            if let path = text.rest(after: "snapshot:") {
                _ = try ImageFormat(path: path)
                return .snapshot(path)
            }
            if let source = text.rest(after: "video=") {
                return .video(source == "none" ? nil : try VideoSource(parsing: source))
            }
            if let source = text.rest(after: "audio=") {
                return .audio(source == "none" ? nil : try AudioSource(parsing: source))
            }
        } catch {
            throw ValidationError(error.description)
        }
        if let turn = text.rest(after: "orientation=") {
            guard let orientation = VideoOrientation(rawValue: turn) else {
                throw ValidationError("'\(turn)' is no orientation; use one of \(VideoOrientation.words)")
            }
            return .orientation(orientation)
        }
        if let mode = text.rest(after: "audio-processing=") {
            guard let processing = AudioProcessing(rawValue: mode) else {
                throw ValidationError("'\(mode)' is no audio processing; use one of \(AudioProcessing.words)")
            }
            return .audioProcessing(processing)
        }
        if let size = text.rest(after: "video-size=") {
            guard let format = VideoSizeArgument.format(size) else {
                throw ValidationError(VideoSizeArgument.advice(size))
            }
            return .videoSize(format)
        }
        if let known = plain.first(where: { $0.name == text }) { return known.action }
        let names =
            plain.map(\.name) + [
                "info:TEXT", "dtmf:KEYS", "video=SOURCE", "video-size=WIDTHxHEIGHT[@FPS]", "orientation=TURN",
                "audio=SOURCE", "audio-processing=MODE", "snapshot:FILE.png|.jpg",
            ]
        throw ValidationError("there is no action '\(text)'; use one of \(names.joined(separator: ", "))")
    }
}

extension String {
    /// What follows `prefix`; nil when it does not begin so.
    fileprivate func rest(after prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
