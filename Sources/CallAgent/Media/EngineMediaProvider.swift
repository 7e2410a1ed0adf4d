internal import CallProtocol
internal import FoundationEssentials
internal import LocalNetwork
internal import MediaEngine
internal import Synchronization

/// The media of calls on a `Engine`.
actor EngineMediaProvider: MediaProvider {
    private let engine: Engine
    private let configuration: MediaConfiguration
    /// Kept, so that changes made to them between two calls persist.
    private var sources: [TrackID: CaptureSource] = [:]
    private var held: [CaptureSource] = []
    /// The paths that calls have.
    private var recordings: Set<String> = []
    /// The servers that signaling provided last.
    private var handedOut: [IceServer] = []

    init(engine: Engine, configuration: MediaConfiguration) {
        self.engine = engine
        self.configuration = configuration
    }

    func prepare() async throws(MediaSessionError) {
        await release()
        do throws(MediaError) {
            // Sources that are not opened now are looked up, too: a misspelt name is reported before a call needs it.
            for source in try sources(for: .audioVideo).values where keepsOpen(source) {
                try await source.hold()
                held.append(source)
            }
            for name in configuration.encoders { _ = try engine.catalog.description(name, role: .encoder) }
            for rule in configuration.payloadTypes { try rule.check() }
        } catch {
            throw MediaSessionError(error)
        }
        await engine.warmedUp()
    }

    func release() async {
        // Emptied first: another release may start while this one waits.
        let sources = held
        held = []
        for source in sources { await source.release() }
    }

    nonisolated var networkChanges: AsyncStream<Void> { NetworkMonitor.shared.changes }

    func use(_ servers: [IceServer]) { handedOut = servers.compactMap(\.usable) }

    func makeSession(
        label: String, peer: String?, media: CallMedia, role: CallRole, outputs: MediaOutputs?
    ) async throws(MediaSessionError) -> any MediaSession {
        do throws(MediaError) {
            var tracks: [TrackID: TrackConfiguration] = [:]
            let sources = try sources(for: media)
            // A medium without a source is still received.
            for id in self.tracks(of: media) {
                let kind = id.kind
                var track = TrackConfiguration(receiving: kind)
                track.source = sources[id]
                track.codecs = kind == .video ? configuration.videoCodecs : configuration.audioCodecs
                track.encoders = configuration.encoders
                track.direction = direction(of: id, hasSource: sources[id] != nil)
                track.bitrateKbit = kind == .video ? configuration.videoBitrateKbit : configuration.audioBitrateKbit
                track.sharesEncoder = configuration.sharesEncoders
                track.sendsLevel = kind == .audio && configuration.sendsAudioLevel
                if id == .video, configuration.sendsSimulcast { track.simulcastScales = [2, 4] }
                track.degradationPreference = configuration.degradationPreference
                track.maxReceiveKbit =
                    kind == .video ? configuration.maxReceiveVideoKbit : configuration.maxReceiveAudioKbit
                if kind == .audio { track.processing = configuration.audio?.effectiveProcessing ?? .off }
                tracks[id] = track
            }
            var connection = PeerConnectionConfiguration(label: label, tracks: tracks)
            connection.maximumVideos = configuration.receivedVideos ?? TrackID.maximumVideos
            connection.payloadTypes = configuration.payloadTypes
            connection.opus = configuration.opus
            connection.tuning = configuration.tuning
            connection.iceServers = (configuration.iceServers + handedOut).map { StunTurnServer($0) }
            connection.trustRootsFile = configuration.trustRootsFile
            connection.iceTransportPolicy = configuration.iceTransportPolicy
            connection.looksUpMulticastNames = configuration.looksUpMulticastNames
            connection.network = configuration.network
            connection.candidateDelivery = configuration.candidateDelivery
            connection.allowsDataChannels = media.data
            connection.measurements = configuration.measurements
            connection.decoding = configuration.decoding
            let outputs = if let outputs { outputs } else { try makeOutputs(of: peer) }
            return PeerMediaSession(
                engine.makePeerConnection(connection, outputs: outputs),
                tracks: Set(tracks.keys),
                ownServers: configuration.iceServers, engine: engine)
        } catch {
            throw MediaSessionError(error)
        }
    }

    /// The outputs of another call.
    private func makeOutputs(of peer: String?) throws(MediaError) -> MediaOutputs {
        var outputs = configuration.outputs
        if let pattern = outputs.recordingPath {
            let path = Self.path(pattern, peer: peer ?? "call")
            let chosen =
                (1...).lazy.map { Self.path(path, number: $0) }
                .first { !self.recordings.contains($0) && ($0 == pattern || !Self.isThere($0)) } ?? path
            outputs.recordingPath = chosen
            recordings.insert(chosen)
        }
        return try engine.makeOutputs(outputs)
    }

    /// Whether a recording would replace a file: only the file that the user named was the user's to check.
    private static func isThere(_ path: String) -> Bool {
        [path, OutputConfiguration.pathOfSent(beside: path)].contains { FileManager.default.fileExists(atPath: $0) }
    }

    /// What an offer has.
    private func tracks(of media: CallMedia) -> [TrackID] {
        let videos = max(configuration.videos.count, configuration.receivedVideos ?? 1, 1)
        return (media.audio ? [.audio] : []) + (media.video ? (1...videos).map { .video($0) } : [])
    }

    /// Nothing is sent later on a further video without a source.
    private func direction(of track: TrackID, hasSource: Bool) -> MediaDirection {
        guard track.number > 1 else { return configuration.direction }
        let isReceived = track.number <= configuration.receivedVideos ?? TrackID.maximumVideos
        let possible: MediaDirection =
            switch (hasSource, isReceived) {
            case (true, true): .sendrecv
            case (true, false): .sendonly
            case (false, true): .recvonly
            case (false, false): .inactive
            }
        return configuration.direction.limited(to: possible)
    }

    private func sources(for media: CallMedia) throws(MediaError) -> [TrackID: CaptureSource] {
        if media.video {
            for (index, video) in configuration.videos.enumerated() {
                sources[.video(index + 1)] = try engine.capture(video)
            }
        }
        if media.audio, let audio = configuration.audio { sources[.audio] = try engine.capture(audio) }
        return sources.filter { media.has($0.key.kind) }
    }

    private func keepsOpen(_ source: CaptureSource) -> Bool {
        switch configuration.capturePolicy {
        case .automatic: source.isSynthetic
        case .perCall: false
        case .fromPrepare: true
        }
    }

    /// The name of the peer in the place that the name of the file has for it.
    ///
    /// Not in the folder's name: a peer named `..` would choose another folder.
    private static func path(_ pattern: String, peer: String) -> String {
        let file = pattern.lastIndex(of: "/").map { pattern.index(after: $0) } ?? pattern.startIndex
        return String(pattern[..<file]) + pattern[file...].replacing(MediaConfiguration.peerPlace, with: peer)
    }

    /// `call.mkv`, `call-2.mkv`, `call-3.mkv` and so on.
    private static func path(_ path: String, number: Int) -> String {
        guard number > 1 else { return path }
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return "\(path)-\(number)" }
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }
}

extension MediaSessionError {
    init(_ error: MediaError) {
        let text = error.description
        switch error {
        case .fingerprintMismatch: self.init(fault: .security(text: text), description: text)
        case .invalidSDP, .noCommonCodec, .codecNotOffered:
            self.init(fault: .incompatible(text: text), description: text)
        case .pluginMissing, .libraryUnusable, .stateChangeFailed, .sourceFailed:
            self.init(fault: .other(text: text), description: text, isMissingPrerequisite: true)
        default: self.init(fault: .other(text: text), description: text)
        }
    }
}
