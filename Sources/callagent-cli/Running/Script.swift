internal import CallAgent
internal import Foundation
internal import MediaEngine

/// Does to a connected call what `--at` says.
struct Script: Sendable {
    let steps: [ScriptStep]
    let output: OutputOptions
    /// What is sent at the beginning.
    let media: MediaOptions

    /// Runs until all is done or its task is cancelled.
    ///
    /// - Returns: a line for each step that the call refused.
    func run(on call: Call) async -> [String] {
        guard !steps.isEmpty, await CallWatch.untilConnected(call) else { return [] }
        let connected = ContinuousClock.now
        let start = await call.report().timeline.start
        var complaints: [String] = []
        var video = try? media.videoSource()
        for step in steps.sorted(by: { $0.time.duration < $1.time.duration }) {
            guard (try? await Task.sleep(until: connected + step.time.duration)) != nil else { break }
            let at = (ContinuousClock.now - start).inMilliseconds
            var complaint: String?
            do throws(CallError) {
                try await perform(step.action, call, &video)
            } catch {
                complaint = error.description
                complaints.append("'\(step.text.printable)' was refused: \(error.description.printable)")
            }
            tell(step, complaint, at, call)
        }
        return complaints
    }

    /// `video` is what is sent at present.
    private func perform(
        _ action: ScriptStep.Action, _ call: Call, _ video: inout VideoSource?
    ) async throws(CallError) {
        switch action {
        case .hold: try await call.hold()
        case .unhold: try await call.unhold()
        case .muteAudio: await call.setAudio(.muted)
        case .unmuteAudio: await call.setAudio(.on)
        case .muteVideo: await call.setVideo(.muted)
        case .stopVideo: await call.setVideo(.off)
        case .unmuteVideo, .startVideo: await call.setVideo(.on)
        case .addVideo: try await call.changeMedia(to: .audioVideo)
        case .info(let text): try await call.send(info: text)
        case .video(nil): await call.setVideo(.off)
        case .video(.some(var source)):
            source.format = video?.format ?? source.format
            source.orientation = video?.orientation ?? source.orientation
            try await call.setSource(.video(source))
            await call.setVideo(.on)
            video = source
        case .videoSize(let format):
            var source = video ?? .test()
            source.format = format
            try await call.setSource(.video(source))
            video = source
        case .orientation(let orientation):
            try await call.turnVideo(orientation)
            video?.orientation = orientation
        case .audio(nil): await call.setAudio(.off)
        case .audio(.some(let source)):
            try await call.setSource(.audio(source))
            await call.setAudio(.on)
        case .snapshot(let path): try await snapshot(call, path)
        case .hangup: await call.hangUp()
        }
    }

    private func snapshot(_ call: Call, _ path: String) async throws(CallError) {
        let format: ImageFormat = path.lowercased().hasSuffix(".png") ? .png : .jpeg
        let bytes = try await call.snapshot(format)
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        } catch {
            let text = "'\(path)' cannot be written: \(error.localizedDescription)"
            throw .media(MediaSessionError(fault: .other(text: text), description: text))
        }
    }

    private func tell(_ step: ScriptStep, _ complaint: String?, _ ms: Double, _ call: Call) {
        if output.events {
            var event = EventDocument("action")
            (event.callId, event.peer, event.user) = (call.id, call.peer, call.user)
            (event.action, event.atMs, event.text) = (step.text, ms.rounded(toPlaces: 2), complaint)
            Output.event(event)
        } else if !output.json {
            let refused = complaint.map { ": refused, \($0.printable)" } ?? ""
            Output.line("\(call.peer): \(NoticeLine.time(ms)) this end: \(step.text.printable)\(refused)")
        }
    }
}
