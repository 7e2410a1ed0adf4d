import Foundation
import MediaEngine

/// Another implementation of WebRTC that opens and accepts data channels and echoes every message on them.
protocol DataPeer: Sendable {
    /// Runs one of the functions of `Peers/aiortc_data.py` and `Peers/browser_data.js` and returns its result as JSON.
    func ask(_ operation: String, _ argument: String) async throws -> Data
}

extension DataPeer {
    func open(_ label: String) async throws { _ = try await ask("open", label) }

    func offer() async throws -> SessionDescription {
        SessionDescription(kind: .offer, sdp: try await value("offer", ""))
    }

    func answer(to offer: SessionDescription) async throws -> SessionDescription {
        SessionDescription(kind: .answer, sdp: try await value("answer", offer.sdp))
    }

    func take(_ answer: SessionDescription) async throws { _ = try await ask("take", answer.sdp) }

    /// The messages that it has received on a channel.
    func heard(on label: String) async throws -> [DataChannel.Message] {
        try await value("heard", label, as: [HeardMessage].self).map(\.message)
    }

    /// The W3C name of a channel's state; `none` for an unknown channel.
    func state(of label: String) async throws -> String { try await value("state", label) }

    func close(_ label: String) async throws { _ = try await ask("close", label) }

    private func value<Value: Decodable>(
        _ operation: String, _ argument: String, as type: Value.Type = Value.self
    ) async throws -> Value {
        try JSONDecoder().decode(Value.self, from: try await ask(operation, argument))
    }
}

/// Text is a string, bytes are an array of numbers.
private struct HeardMessage: Decodable {
    let message: DataChannel.Message

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) {
            message = .text(text)
        } else {
            message = .binary(try value.decode([UInt8].self))
        }
    }
}
