@testable import MediaEngine

/// Loses RTP packets of a peer on their way to an end, behind ICE, where a network would; RTCP and DTLS pass.
final class NetworkLoss: Sendable {
    private let (seen, lost) = (Shared(0), Shared(0))
    private let hasEnded = Shared(false)

    /// Loses each packet whose number is a multiple of `period`, retransmissions too; `payloadTypes` are those of the kind that suffers.
    init(to end: CallEnd, every period: Int, of payloadTypes: Set<Int>) async throws {
        let (seen, lost, hasEnded) = (seen, lost, hasEnded)
        guard let source = await end.peer.media?.ice.webrtc.source else { throw MediaError.closed }
        try source.pad("src").probeHead { bytes in
            // RFC 7983 section 7: 128 to 191 are RTP and RTCP.
            guard bytes.count >= 2, (128...191).contains(bytes[0]), payloadTypes.contains(Int(bytes[1] & 0x7f)) else {
                return .pass
            }
            let number = seen.update { seen in
                seen += 1
                return seen
            }
            guard number % period == 0, !hasEnded.value else { return .pass }
            lost.update { $0 += 1 }
            return .drop
        }
    }

    /// How many packets were lost so far.
    var count: Int { lost.value }

    func end() { hasEnded.set(true) }
}
