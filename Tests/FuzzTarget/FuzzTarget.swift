import Foundation
import MediaEngine

/// Takes descriptions from standard input, each with a peer connection of its own, and tells what came of each.
///
/// It is a process of its own so that a crash in C is the end of one description and not of the tests. One JSON object a line, both ways.
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
        /// Why the description was refused; nil when it was taken.
        var refusal: String?
        var candidatesTaken = 0
    }

    static func main() async throws {
        // As the program does, so that what is freed is given back.
        MediaEngine.limitMallocArenas()
        let engine = try await MediaEngine.start()
        await engine.warmedUp()
        while let line = readLine() {
            let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
            let reply = try JSONEncoder().encode(await reply(to: request, engine))
            FileHandle.standardOutput.write(reply + Data("\n".utf8))
        }
    }

    private static func reply(to request: Request, _ engine: MediaEngine) async -> Reply {
        var configuration = PeerConnectionConfiguration(
            label: "fuzz",
            tracks: [.audio: .init(receiving: .audio), .video: .init(receiving: .video, codecs: [.vp8, .h264])])
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
