import Testing

@testable import MediaEngine

/// A room in which a microphone hears the loudspeaker, half as loud and a little later.
final class EchoingRoom: Sendable {
    private let input: AudioInput
    private let air = Shared<[Int16]>([])
    private let loudest = Shared<Int16>(0)
    /// How long the audio travels, in addition to the latency of the loudspeaker itself.
    private static let delay = 48_000 * 70 / 1_000

    init() throws { input = try AudioInput() }

    var microphone: AudioSource { input.source }

    /// What was played and pushed, for the message of a test that heard no echo.
    var summary: String {
        let pushes = [PushOutcome.accepted, .dropped, .refused].map { "\(input.count($0)) \($0)" }
        return "the loudest sample was \(loudest.value); pushes: \(pushes.joined(separator: ", "))"
    }

    /// Lets the microphone hear what `end` decodes.
    func echo(_ end: CallEnd) async throws {
        let pad = try #require(await end.peer.media?.receiving[.audio]?.decoded)
        try await eventually("audio") { pad.caps != nil }
        let channels = pad.caps?.fields?["channels"]?.intValue ?? 1
        let (input, air, loudest) = (input, air, loudest)
        air.set([Int16](repeating: 0, count: Self.delay))
        pad.probe { buffer in
            _ = buffer.reference.withBytes { bytes in
                let samples = bytes.bindMemory(to: Int16.self)
                let mono = stride(from: 0, to: samples.count, by: channels).map { samples[$0] / 2 }
                loudest.update { $0 = max($0, mono.max() ?? 0) }
                let late = air.update { air in
                    air += mono
                    defer { air.removeFirst(mono.count) }
                    return Array(air.prefix(mono.count))
                }
                _ = try? input.push(late)
            }
            return .pass
        }
    }
}
