import Foundation
import MediaEngine

/// A call between two peer connections in one process, for comparison with the same graph in C (`Benchmarks/CallGraph`).
///
/// Usage: `engine-call SECONDS`. After five seconds it measures for `SECONDS`, then prints a line of JSON: the CPU time used and the
/// frames decoded meanwhile at both ends.
@main
struct EngineCall {
    static func main() async throws {
        guard let seconds = CommandLine.arguments.dropFirst().first.flatMap(Int.init), seconds > 0 else {
            print("usage: engine-call SECONDS")
            exit(2)
        }
        let engine = try await Engine.start()
        let caller = try end("caller", .test(.ball), .tone(hertz: 440), engine)
        let callee = try end("callee", .test(.smpte), .tone(hertz: 660), engine)
        connect(caller, to: callee)
        connect(callee, to: caller)
        let answer = try await callee.createAnswer(to: caller.createOffer())
        try await caller.setAnswer(answer)
        for peer in [caller, callee] {
            await peer.setReceiving(true)
            for track in [TrackID.audio, .video] { await peer.setSending(.live, of: track) }
        }
        try await Task.sleep(for: .seconds(5))
        let (before, frames) = (cpuSeconds(), await decoded(caller) + decoded(callee))
        try await Task.sleep(for: .seconds(seconds))
        let used = String(format: "%.3f", cpuSeconds() - before)
        print(#"{"cpuSeconds": \#(used), "frames": \#(await decoded(caller) + decoded(callee) - frames)}"#)
        await caller.close()
        await callee.close()
    }

    private static func end(_ label: String, _ video: VideoSource, _ audio: AudioSource, _ engine: Engine) throws
        -> PeerConnection
    {
        var configuration = PeerConnectionConfiguration(
            label: label,
            tracks: [
                .video: TrackConfiguration(source: try engine.capture(video), codecs: [.vp8]),
                .audio: TrackConfiguration(source: try engine.capture(audio), codecs: [.opus]),
            ])
        configuration.tuning = .loopback
        return engine.makePeerConnection(configuration)
    }

    /// Passes the candidates of one end to the other.
    private static func connect(_ peer: PeerConnection, to other: PeerConnection) {
        Task {
            for await event in peer.events {
                if case .localCandidate(let candidate) = event.kind { try await other.addCandidate(candidate) }
            }
        }
    }

    private static func decoded(_ peer: PeerConnection) async -> Int {
        await peer.statistics().received[.video]?.decoded ?? 0
    }

    private static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
