import CallProtocol
import Conformance
import Foundation
import Testing

@testable import MediaEngine

/// The examples in `docs/signaling.md` are correct.
struct ExampleTests {
    private static let types = [
        "invite", "ringing", "progress", "accept", "reject", "cancel", "hangup", "candidate", "offer", "answer",
        "renegotiate", "commit", "rollback", "iceRestart", "state", "info", "query", "status", "skip", "ack", "gone",
        "error",
    ]

    @Test("The document has one example of every type, and each equals the one in the vectors")
    func examples() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/signaling.md")
        let document = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
        let lines = document.split(separator: "\n").filter { $0.hasPrefix("{") && $0.contains("\"callId\"") }
        let shown = try lines.map { try JSONValue(text: String($0)) }
        let examples = try MessageVector.all().filter { $0.name.hasPrefix("example ") }
        #expect(shown == examples.compactMap(\.json))
        #expect(Set(shown.compactMap { $0["type"]?.string }) == Set(Self.types))
        #expect(shown.count == Self.types.count)
    }

    @Test("The examples are of one call: each sequence counts its messages once, in the order of their time")
    func sequences() throws {
        struct Stream: Hashable {
            let from: String
            let to: String
        }
        var streams: [Stream: [(seq: Double, id: String, time: Double)]] = [:]
        for vector in try MessageVector.all() where vector.name.hasPrefix("example ") {
            guard let json = vector.json, case .number(let seq) = json["seq"], let id = json["id"]?.string,
                case .number(let time) = json["sentUnixMs"]
            else { continue }
            let stream = Stream(from: "\(json["device"] ?? .null)", to: "\(json["toDevice"] ?? .null)")
            streams[stream, default: []].append((seq, id, time))
        }
        #expect(streams.count == 3)
        for messages in streams.values.map({ $0.sorted { ($0.seq, $0.time) < ($1.seq, $1.time) } }) {
            for (message, next) in zip(messages, messages.dropFirst()) {
                #expect(message.time <= next.time, "\(message) before \(next)")
                // An accept and a reject are alternatives.
                #expect((message.seq == next.seq) == (message.id == next.id), "\(message) and \(next)")
            }
        }
    }

    @Test("The engine accepts the SDP of the examples, and it has the media that the messages name")
    func descriptions() throws {
        var count = 0
        for vector in try MessageVector.all() where vector.name.hasPrefix("example ") {
            guard let json = vector.json, let sdp = json["sdp"]?.string else { continue }
            let isOffer = json["type"] == "invite" || json["type"] == "offer"
            let description = try RemoteDescription(SessionDescription(kind: isOffer ? .offer : .answer, sdp: sdp))
            if let media = json["media"] {
                let kinds = description.sections.map(\.kind.rawValue)
                #expect(kinds == ["audio", "video"].filter { media[$0] == true }, "\(vector.name)")
            }
            count += 1
        }
        #expect(count == 4)
    }
}
