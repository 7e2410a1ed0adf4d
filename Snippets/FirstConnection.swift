// Connects two peers in one process: each sends a test pattern and a tone to the other.

import MediaEngine

// snippet.both
func firstConnection() async throws {
    let engine = try await Engine.start()
    let caller = try makePeer(engine, named: "caller", showing: .test(.ball), playing: .tone(hertz: 440))
    let callee = try makePeer(engine, named: "callee", showing: .test(.smpte), playing: .tone(hertz: 660))
    async let callerIsShown: Void = follow(caller, candidatesTo: callee)
    async let calleeIsShown: Void = follow(callee, candidatesTo: caller)

    // Your signaling carries an offer, an answer, and candidates as they are found.
    let offer = try await caller.createOffer()
    let answer = try await callee.createAnswer(to: offer)
    try await caller.setAnswer(answer)

    // Both have accepted: the gates may open. Media flows once each has checked the other's certificate.
    for peer in [caller, callee] {
        for track in [TrackID.audio, .video] { await peer.setSending(.live, of: track) }
        await peer.setReceiving(true)
    }
    _ = try await (callerIsShown, calleeIsShown)
    let received = await caller.statistics().received[.video]
    print("\(received?.width ?? 0)x\(received?.height ?? 0) in \(received?.codec.encodingName ?? "nothing")")
    await caller.close()
    await callee.close()
}
// snippet.end

// snippet.peer
func makePeer(
    _ engine: Engine, named label: String, showing video: VideoSource, playing audio: AudioSource
) throws -> PeerConnection {
    // Two calls that name the same source share one capture.
    var configuration = PeerConnectionConfiguration(
        label: label,
        tracks: [
            .video: TrackConfiguration(source: try engine.capture(video), codecs: [.vp8, .h264]),
            .audio: TrackConfiguration(source: try engine.capture(audio), codecs: [.opus]),
        ])
    // On this machine only; by default every address that others can reach is offered.
    configuration.tuning.localAddresses = ["127.0.0.1"]
    return engine.makePeerConnection(configuration)
}
// snippet.end

// snippet.events
/// Returns with the peer's first frame.
func follow(_ peer: PeerConnection, candidatesTo other: PeerConnection) async throws {
    for await event in peer.events {
        switch event.kind {
        case .localCandidate(let candidate): try await other.addCandidate(candidate)
        case .firstShown(.video): return
        // An encoder or decoder failed; the rest continues.
        case .trackFailed(let failure): print("\(failure)")
        case .failed(let error): throw error
        default: break
        }
    }
    throw MediaError.closed
}
// snippet.end
