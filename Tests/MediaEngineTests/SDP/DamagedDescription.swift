@testable import MediaEngine

/// A damaged description of some peer, and damaged candidates; the same seed gives the same damage.
struct DamagedDescription {
    let kind: SessionDescription.Kind
    let sdp: String
    let candidates: [String]

    private static let offers = (SDPSamples.offers.map(\.sdp) + [SDPSamples.twoVideos])
        .map { $0.components(of: "\r\n") }
    private static let answers = SDPSamples.answers.map { $0.sdp.components(of: "\r\n") }
    private static let candidates = (offers + answers).joined().filter { $0.hasPrefix("a=candidate") }
        .map { String($0.dropFirst(2)) }

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        kind = Int.random(in: 0..<3, using: &random) == 0 ? .answer : .offer
        let samples = kind == .offer ? Self.offers : Self.answers
        sdp = random.mutated(random.pick(samples), among: samples)
        candidates = (0..<2).map { _ in random.mutated([random.pick(Self.candidates)], among: [Self.candidates]) }
    }

    /// The parsed description; nil: it is refused.
    ///
    /// - Throws: An error that is no reason to refuse a description.
    func read() throws -> RemoteDescription? {
        do throws(MediaError) {
            return try RemoteDescription(SessionDescription(kind: kind, sdp: sdp), tracks: SDPSamples.tracks)
        } catch {
            guard case .invalidSDP = error else { throw error }
            return nil
        }
    }
}
