import Testing

@testable import MediaEngine

/// Records when the beeps begin that an end decodes.
final class BeepWatch: Sendable {
    private struct Heard {
        var samples = 0
        /// The last sample that was loud.
        var lastLoud: Int?
        var begins: [Int] = []
    }

    private let heard = Shared(Heard())
    private static let rate = 48_000

    init(_ end: CallEnd) async throws {
        let pad = try #require(await end.peer.media?.receiving[.audio]?.decoded)
        try await eventually("audio") { pad.caps != nil }
        let channels = pad.caps?.fields?["channels"]?.intValue ?? 1
        pad.probe { [heard] buffer in
            _ = buffer.reference.withBytes { bytes in
                let samples = bytes.bindMemory(to: Int16.self)
                heard.update { heard in
                    for index in stride(from: 0, to: samples.count, by: channels) {
                        heard.samples += 1
                        guard samples[index].magnitude > 4_000 else { continue }
                        // After at least 20 ms of silence.
                        if heard.samples - (heard.lastLoud ?? 0) > Self.rate / 50 { heard.begins.append(heard.samples) }
                        heard.lastLoud = heard.samples
                    }
                }
            }
            return .pass
        }
    }

    /// The times from the beginning of each beep to that of the next one, in s of decoded audio.
    var distances: [Double] {
        let begins = heard.value.begins
        return zip(begins, begins.dropFirst()).map { Double($1 - $0) / Double(Self.rate) }
    }

    func listenAnew() { heard.update { $0.begins = [] } }
}
