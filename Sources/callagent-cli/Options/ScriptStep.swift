internal import ArgumentParser
internal import CallAgent
internal import MediaEngine
internal import RoomClient

/// An action on a running call at a time: `2s=hold`.
struct ScriptStep: Sendable, Equatable {
    /// The actions.
    enum Action: Sendable, Equatable {
        case hold, unhold
        case muteAudio, unmuteAudio
        case muteVideo, unmuteVideo
        case stopAudio, startAudio
        case stopVideo, startVideo
        case outputOff, outputOn
        case restartIce
        case addAudio, addVideo
        /// Sends through a network with other conditions from now on.
        case network(NetworkArgument)
        /// Goes on with the peer in a room of the server that the command names.
        case room(String)
        /// Receives this layer of the video of all participants of a room.
        case layer(SimulcastLayer)
        case info(String)
        /// Sends DTMF digits.
        case dtmf(String)
        /// Another video source of the same size; nil: none.
        case video(VideoSource?)
        case videoSize(VideoFormat)
        case orientation(VideoOrientation)
        /// Another audio source; nil: none.
        case audio(AudioSource?)
        case audioProcessing(AudioProcessing)
        /// Writes a frame of the peer's video into this file.
        case snapshot(String)
        case hangup
    }

    /// The time since the call was connected.
    let time: DurationArgument
    let action: Action
    /// The action as it was written.
    let text: String

    private static let plain: [(name: String, action: Action)] = [
        ("hold", .hold), ("unhold", .unhold), ("mute-audio", .muteAudio), ("unmute-audio", .unmuteAudio),
        ("stop-audio", .stopAudio), ("start-audio", .startAudio), ("add-audio", .addAudio),
        ("mute-video", .muteVideo), ("unmute-video", .unmuteVideo), ("stop-video", .stopVideo),
        ("start-video", .startVideo), ("add-video", .addVideo), ("output-off", .outputOff), ("output-on", .outputOn),
        ("restart-ice", .restartIce), ("hangup", .hangup),
    ]

    /// - Throws: a `ValidationError` that lists the accepted forms.
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
        if let conditions = text.rest(after: "network:") { return .network(try NetworkArgument(parsing: conditions)) }
        if let room = text.rest(after: "room:") {
            guard SignalingLimits.isName(room) else {
                throw ValidationError(
                    "'\(room)' is no name of a room: use 1 to 64 ASCII letters, digits and . _ - @ + :")
            }
            return .room(room)
        }
        if let layer = text.rest(after: "layer:") {
            guard let layer = SimulcastLayer(rawValue: layer) else {
                throw ValidationError("'\(layer)' is no layer; use low, medium or high")
            }
            return .layer(layer)
        }
        if let digits = text.rest(after: "dtmf:") {
            guard (1...PeerConnection.maximumDigits).contains(digits.count), digits.allSatisfy({ DtmfDigit($0) != nil })
            else {
                throw ValidationError(
                    "'\(digits)' are no DTMF digits; use 1 to \(PeerConnection.maximumDigits) of 0 to 9, *, # and A to D"
                )
            }
            return .dtmf(digits)
        }
        do {
            if let path = text.rest(after: "snapshot:") {
                _ = try ImageFormat(path: path)
                return .snapshot(path)
            }
            if let source = text.rest(after: "video=") {
                return .video(try SourceName.videoSource(source))
            }
            if let source = text.rest(after: "audio=") {
                return .audio(try SourceName.audioSource(source))
            }
        } catch {
            throw ValidationError("\(error)")
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
                "network:CONDITIONS", "room:ROOM", "layer:low|medium|high", "info:TEXT", "dtmf:DIGITS", "video=SOURCE",
                "video-size=WIDTHxHEIGHT[@FPS]",
                "orientation=TURN",
                "audio=SOURCE", "audio-processing=MODE", "snapshot:FILE.png|.jpg",
            ]
        throw ValidationError("there is no action '\(text)'; use one of \(names.joined(separator: ", "))")
    }
}

extension String {
    /// The text after `prefix`; nil if the string does not begin with it.
    fileprivate func rest(after prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
