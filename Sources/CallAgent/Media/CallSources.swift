internal import CallProtocol
internal import MediaEngine

/// The sources that the user of a call chose instead of the agent's sources.
struct CallSources: Sendable {
    private var chosen: [MediaKind: MediaSource] = [:]

    mutating func note(_ source: MediaSource) { chosen[source.kind] = source }

    /// The chosen source in the notation of the command line; nil if none was chosen.
    func label(of medium: CaptureFault.Medium) -> String? { chosen[MediaKind(medium)]?.label }

    /// Sets the chosen sources on a session that has not negotiated yet.
    func apply(to session: any MediaSession, with media: CallMedia) async throws(MediaSessionError) {
        for source in chosen.values where media.has(source.kind) { try await session.setSource(source) }
    }
}

extension MediaConfiguration {
    /// All video sources, the first one first.
    var videos: [VideoSource] { video.map { [$0] + additionalVideos } ?? [] }

    /// The media without a source.
    var sourceless: Set<CaptureFault.Medium> {
        Set(CaptureFault.Medium.allCases).subtracting(sourceNames.keys)
    }

    /// The sources of calls, in the notation of the command line.
    var sourceNames: [CaptureFault.Medium: String] {
        var names: [CaptureFault.Medium: String] = [:]
        names[.video] = video.map { MediaSource.video($0).label }
        names[.audio] = audio.map { MediaSource.audio($0).label }
        return names
    }
}

extension MediaKind {
    init(_ medium: CaptureFault.Medium) {
        switch medium {
        case .audio: self = .audio
        case .video: self = .video
        }
    }
}

extension CaptureFault.Medium {
    init(_ kind: MediaKind) {
        switch kind {
        case .audio: self = .audio
        case .video: self = .video
        }
    }
}

extension CallMedia {
    /// Whether the call has this kind.
    func has(_ kind: MediaKind) -> Bool {
        switch kind {
        case .audio: audio
        case .video: video
        }
    }
}
