import Foundation
import MediaEngine

/// Reads session descriptions from standard input, applies each to a new peer connection, and reports the result.
///
/// It is a separate process, so that a crash in C ends one description and not the tests. Both ways, each line is one JSON object.
@main
struct FuzzTarget {
    struct Request: Decodable {
        let isOffer: Bool
        let sdp: String
        let candidates: [String]
    }

    struct Reply: Encodable {
        /// The answer to an offer.
        var answer: String?
        /// Why the description was refused; nil: it was accepted.
        var refusal: String?
        var candidatesTaken = 0
    }

    static func main() async throws {
        // Like the command-line program, so that freed memory returns to the system.
        Engine.limitMallocArenas()
        let engine = try await Engine.start()
        await engine.warmedUp()
        while let line = readLine() {
            let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
            let reply = try JSONEncoder().encode(await reply(to: request, engine))
            FileHandle.standardOutput.write(reply + Data("\n".utf8))
        }
    }

    private static func reply(to request: Request, _ engine: Engine) async -> Reply {
        var configuration = PeerConnectionConfiguration(
            label: "fuzz",
            tracks: [.audio: .init(receiving: .audio), .video: .init(receiving: .video, codecs: [.vp8, .h264])])
        configuration.maximumVideos = TrackID.maximumVideos
        configuration.tuning = .loopback
        let peer = engine.makePeerConnection(configuration)
        var reply = Reply()
        do {
            if request.isOffer {
                reply.answer = try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: request.sdp)).sdp
            } else {
                _ = try await peer.createOffer()
                try await peer.setAnswer(SessionDescription(kind: .answer, sdp: request.sdp))
            }
            for candidate in request.candidates {
                let candidate = IceCandidate(mLine: 0, candidate: candidate)
                if (try? await peer.addCandidate(candidate)) != nil { reply.candidatesTaken += 1 }
            }
        } catch {
            reply.refusal = "\(error)"
        }
        await peer.close()
        return reply
    }
}
