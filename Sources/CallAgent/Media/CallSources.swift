internal import MediaEngine

/// What the user of a call chose to send instead of what the agent's calls send.
struct CallSources: Sendable {
    private var chosen: [MediaKind: MediaSource] = [:]

    mutating func note(_ source: MediaSource) { chosen[source.kind] = source }

    /// Tells a session that has not negotiated yet.
    func apply(to session: any MediaSession, with media: CallMedia) async throws(MediaSessionError) {
        for source in chosen.values where media.has(source.kind) { try await session.setSource(source) }
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
