internal import CallAgent
internal import Foundation
internal import MediaEngine
internal import RoomClient

/// Performs the actions of `--at` on a connected call.
struct Script: Sendable {
    let steps: [ScriptStep]
    /// How each step is reported; nil: not at all.
    let output: OutputOptions?
    /// The options of the sources at the start of the call; nil: it sends nothing.
    let source: SourceOptions?
    /// What the call sends through; nil: no emulated network.
    var network: NetworkEmulator?
    /// How the call goes on in a room; nil: it does not.
    var transfers: CallTransfers?
    /// The room of the call; nil: it is in none.
    var stay: Room?

    /// Runs until all steps are done or its task is cancelled.
    ///
    /// - Returns: a line for each step that the call refused.
    func run(on call: Call) async -> [String] {
        guard !steps.isEmpty, (try? await call.waitUntilConnected()) != nil else { return [] }
        let connected = ContinuousClock.now
        let start = await call.report().timeline.start
        var complaints: [String] = []
        var sources = initialSources
        let sorted = steps.sorted { $0.time.duration < $1.time.duration }
        for (index, step) in sorted.enumerated() {
            guard (try? await Task.sleep(until: connected + step.time.duration)) != nil else { break }
            let at = (ContinuousClock.now - start).inMilliseconds
            var complaint: String?
            do {
                try await check(step.action, call, followedBy: sorted[index...].map(\.action))
                try await perform(step.action, call, &sources)
            } catch {
                complaint = "\(error)"
                complaints.append("'\(step.text.printable)' was refused: \("\(error)".printable)")
            }
            report(step, complaint, at, call)
        }
        return complaints
    }

    /// The sources at the start of the call.
    var initialSources: Sources { Sources(video: try? source?.videoSource(), audio: try? source?.audioSource()) }

    /// The sources that are sent now.
    struct Sources {
        var video: VideoSource?
        var audio: AudioSource?
    }

    /// Refuses a source for a medium that the call lacks and that no later action adds.
    private func check(_ action: ScriptStep.Action, _ call: Call, followedBy later: [ScriptStep.Action]) async throws {
        guard let medium = action.sourceMedium, await !call.media.has(medium) else { return }
        guard later.contains(medium == .audio ? .addAudio : .addVideo) else { throw MissingMedium(medium: medium) }
    }

    /// Performs one action; `sources` are those of the call so far.
    ///
    /// - Throws: `CallError`, `RoomError` when the call does not go on in a room, and ``MissingMedium``.
    func perform(_ action: ScriptStep.Action, _ call: Call, _ sources: inout Sources) async throws {
        let media = await call.media
        if let medium = action.enabledMedium, !media.has(medium) { throw MissingMedium(medium: medium) }
        switch action {
        case .hold: try await call.hold()
        case .unhold: try await call.unhold()
        case .muteAudio: await call.setAudio(.muted)
        case .unmuteAudio: await call.setAudio(.on)
        case .muteVideo: await call.setVideo(.muted)
        case .stopAudio: await call.setAudio(.off)
        case .startAudio: await call.setAudio(.on)
        case .stopVideo: await call.setVideo(.off)
        case .unmuteVideo, .startVideo: await call.setVideo(.on)
        case .outputOff: await call.setOutput(false)
        case .outputOn: await call.setOutput(true)
        case .restartIce: await call.restartIce()
        case .addAudio: try await call.changeMedia(to: CallMedia(audio: true, video: media.video))
        case .addVideo: try await call.changeMedia(to: CallMedia(audio: media.audio, video: true))
        case .network(let argument): network?.follow(argument.schedule)
        case .room(let room):
            guard let transfers else { throw RoomError.notTransferred(text: "--room-server is missing") }
            try await transfers.enter(room, with: call)
        case .layer(let layer):
            guard let stay else { throw RoomError.notJoined }
            try await stay.setLayer(layer)
        case .info(let text): try await call.send(info: text)
        case .dtmf(let digits): try await call.sendDTMF(digits)
        case .video(nil): await call.setVideo(.off)
        case .video(.some(var source)):
            source.format = sources.video?.format ?? source.format
            source.orientation = sources.video?.orientation ?? source.orientation
            try await call.setSource(.video(source))
            await call.setVideo(.on)
            sources.video = source
        case .videoSize(let format):
            var source = sources.video ?? .test()
            source.format = format
            try await call.setSource(.video(source))
            sources.video = source
        case .orientation(let orientation):
            try await call.turnVideo(orientation)
            sources.video?.orientation = orientation
        case .audio(nil): await call.setAudio(.off)
        case .audio(.some(var source)):
            source.processing = self.source?.audioProcessing
            try await call.setSource(.audio(source))
            await call.setAudio(.on)
            sources.audio = source
        case .audioProcessing(let processing):
            var source = sources.audio ?? .silence
            source.processing = processing
            try await call.setSource(.audio(source))
            sources.audio = source
        case .snapshot(let path): try await snapshot(call, path)
        case .hangup: await call.hangUp()
        }
    }

    private func snapshot(_ call: Call, _ path: String) async throws(CallError) {
        let format: ImageFormat = path.lowercased().hasSuffix(".png") ? .png : .jpeg
        let bytes = try await call.snapshot(format)
        do throws(Failure) {
            try WritableFile.write(Data(bytes), to: path)
        } catch {
            throw .media(MediaSessionError(fault: .other(text: error.line), description: error.line))
        }
    }

    private func report(_ step: ScriptStep, _ complaint: String?, _ ms: Double, _ call: Call) {
        guard let output else { return }
        if output.events {
            var event = EventDocument("action", of: call.user, text: complaint)
            (event.callId, event.peer) = (call.id, call.peer)
            (event.action, event.atMs) = (step.text, ms.rounded(toPlaces: 2))
            Output.event(event)
        } else if !output.json {
            let refused = complaint.map { ": refused, \($0.printable)" } ?? ""
            Output.line("\(call.peer): \(NoticeLine.time(ms)) this end: \(step.text.printable)\(refused)")
        }
    }
}

/// An action is about a medium that the call does not have, so it would have no effect.
private struct MissingMedium: Error, CustomStringConvertible {
    let medium: CaptureFault.Medium

    var description: String { "the call has no \(medium); add-\(medium) adds it" }
}

extension ScriptStep.Action {
    /// What it turns on; nil: nothing.
    fileprivate var enabledMedium: CaptureFault.Medium? {
        switch self {
        case .unmuteAudio, .startAudio: .audio
        case .unmuteVideo, .startVideo: .video
        default: nil
        }
    }

    /// What it chooses a source of; nil: nothing.
    fileprivate var sourceMedium: CaptureFault.Medium? {
        switch self {
        case .audio(.some), .audioProcessing: .audio
        case .video(.some), .videoSize, .orientation: .video
        default: nil
        }
    }
}

extension CallMedia {
    fileprivate func has(_ medium: CaptureFault.Medium) -> Bool { medium == .audio ? audio : video }
}
