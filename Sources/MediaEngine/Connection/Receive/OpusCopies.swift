internal import Synchronization

/// Recovers lost packets of Opus from the copies that the packets behind them carry (in-band FEC, RFC 6716 section 2.1.7).
///
/// `opusdec` then holds each packet until the next one. So it begins with the first copy that arrives: audio that loses nothing waits for nothing.
final class OpusCopies: Sendable {
    private struct State {
        var isUsed = false
        /// The length of what is missing before the next packet, in ns.
        var gap: UInt64 = 0
        /// In ns.
        var recovered: UInt64 = 0
    }
    private let state = Mutex(State())
    private let decoder: Element

    /// Watches what reaches a decoder; other decoders than `opusdec` are left alone.
    init(of decoder: Element) throws(MediaError) {
        self.decoder = decoder
        guard decoder.factoryName == "opusdec" else { return }
        let input = try decoder.pad("sink")
        input.onEvent { [weak self] event in
            if case .gap(let duration) = event { self?.state.withLock { $0.gap = duration } }
        }
        // The decoder owns the pad, and the pad the handler.
        input.probeHead { [weak self] head in
            self?.note(OpusHead(head))
            return .pass
        }
    }

    private func note(_ packet: OpusHead?) {
        // The element has this property.
        if isFirst(packet) { try? decoder.set("use-inband-fec", "true") }
    }

    /// Whether the packet has the first copy.
    private func isFirst(_ packet: OpusHead?) -> Bool {
        state.withLock { state in
            defer { state.gap = 0 }
            guard let packet, packet.hasCopy else { return false }
            guard state.isUsed else {
                state.isUsed = true
                return true
            }
            // Of several lost packets the copy is that of the last one.
            state.recovered += min(state.gap, packet.frameDuration)
            return false
        }
    }

    /// How much was lost and is played all the same, in samples of one channel at 48 kHz.
    var recoveredSamples: Int { Int(state.withLock(\.recovered) * 48 / 1_000_000) }
}

/// The beginning of a packet of Opus (RFC 6716 section 3.1).
struct OpusHead: Equatable {
    /// Of one of its frames, in ns.
    let frameDuration: UInt64
    /// Whether its first frame carries a copy of the frame before it.
    let hasCopy: Bool

    /// Nil without a frame.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return nil }
        let mode = Int(first >> 3)
        // Only speech has copies: the modes from 16 on are those of music.
        let milliseconds = mode < 12 ? [10, 20, 40, 60][mode % 4] : mode < 16 ? [10, 20][mode % 2] : 0
        frameDuration =
            mode < 16 ? UInt64(milliseconds) * 1_000_000 : [2_500_000, 5_000_000, 10_000_000, 20_000_000][mode % 4]
        // Two frames of different lengths begin with the first one's length; of more frames nothing is known here.
        let offset = [1, 1, bytes.count > 1 && bytes[1] >= 252 ? 3 : 2, Int.max][Int(first & 3)]
        guard mode < 16, offset < bytes.count else {
            hasCopy = false
            return
        }
        // Section 4.2.3: of each channel a bit for each 20 ms that says whether there is speech, then one whether there is a copy.
        let parts = max(1, milliseconds / 20)
        let isStereo = first & 4 != 0
        let bits = bytes[offset]
        hasCopy = bits >> (7 - parts) & 1 == 1 || isStereo && bits >> (6 - 2 * parts) & 1 == 1
    }
}
