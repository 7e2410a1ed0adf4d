import Testing

@testable import MediaEngine

/// One end of a ``LoopbackCall``: a peer connection and all its events.
final class CallEnd: Sendable {
    let peer: PeerConnection
    private let log = Shared<[PeerConnectionEvent]>([])

    init(peer: PeerConnection) { self.peer = peer }

    /// Reads the events until the connection is closed; each candidate goes to `trickle`.
    func follow(_ trickle: @escaping @Sendable (IceCandidate) async -> Void) {
        Task { [peer, log] in
            for await event in peer.events {
                log.update { $0.append(event) }
                if case .localCandidate(let candidate) = event.kind { await trickle(candidate) }
            }
        }
    }

    var events: [PeerConnectionEvent.Kind] { log.value.map(\.kind) }

    /// The error with which the connection failed.
    var failure: MediaError? {
        for case .failed(let error) in events { return error }
        return nil
    }

    /// What the connection reported about TURN servers that gave no relay address.
    var relayComplaint: String? {
        for case .relayUnavailable(let text) in events { return text }
        return nil
    }

    /// Its candidates of one type, split into words.
    func candidates(_ type: String) -> [[Substring]] {
        events.compactMap { event in
            guard case .localCandidate(let candidate) = event else { return nil }
            let words = candidate.candidate.split(separator: " ")
            return words.count > 7 && words[7] == type ? words : nil
        }
    }

    func count(_ kind: PeerConnectionEvent.Kind) -> Int { events.count { $0 == kind } }

    /// Sets this send mode of all tracks.
    func send(_ mode: SendMode) async {
        for track in await peer.configuration.tracks.keys { await peer.setSending(mode, of: track) }
    }

    /// Waits for an event; an unexpected failure ends the wait at once.
    func wait(for kind: PeerConnectionEvent.Kind, within limit: Duration = deadline) async throws {
        try await eventually("\(kind); so far \(events)", within: limit) {
            if let failure { throw failure }
            return count(kind) > 0
        }
    }

    func waitForFailure() async throws -> MediaError {
        try await eventually("a failure; so far \(events)") { failure != nil }
        return try #require(failure)
    }

    /// Waits until the statistics satisfy `condition`.
    func wait(
        _ what: String, within limit: Duration = deadline, until condition: (PeerStatistics) -> Bool
    ) async throws {
        try await eventually(what, within: limit) {
            if let failure { throw failure }
            return condition(await peer.statistics())
        }
    }

    /// Waits until this many frames of the other end are decoded.
    func waitForFrames(_ count: Int) async throws {
        try await wait("\(count) decoded frames") { ($0.received[.video]?.decoded ?? 0) >= count }
    }

    /// Waits until this many more frames are decoded.
    func waitForMoreFrames(_ count: Int) async throws { try await [self].waitForMoreFrames(count) }

    /// Waits until the other end's tone is heard.
    func waitForTone() async throws { try await wait("a tone") { $0.received[.audio]?.toneHz != nil } }

    func received(_ track: TrackID) async throws -> PeerStatistics.Received {
        try #require(await peer.statistics().received[track])
    }

    func sent(_ track: TrackID) async throws -> PeerStatistics.Sent {
        try #require(await peer.statistics().sent[track])
    }

    /// How many RTP packets of all kinds have arrived.
    func arrivals() async -> Int { await peer.statistics().received.values.map(\.arrivals.count).reduce(0, +) }
}

extension [CallEnd] {
    /// Waits until this many more frames are decoded at each of them.
    ///
    /// From the same moment on: one after the other, they would last as long as all together.
    func waitForMoreFrames(_ count: Int) async throws {
        var before: [Int] = []
        for end in self { before.append(try await end.received(.video).decoded) }
        for (end, before) in zip(self, before) { try await end.waitForFrames(before + count) }
    }

    /// Waits until this much more audio is decoded at each of them, in samples.
    func waitForMoreAudio(_ samples: Int) async throws {
        var before: [Int] = []
        for end in self { before.append(try await end.received(.audio).decoded) }
        for (end, before) in zip(self, before) {
            try await end.wait("audio again") { $0.received[.audio]?.decoded ?? 0 > before + samples }
        }
    }
}
