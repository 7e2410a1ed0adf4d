/// Opus settings for this end's SDP (RFC 7587 section 6.1) and for its own encoder.
///
/// The peer's parameters also bound the encoder: it sends no more than the lower of the two rates and the narrower of the two bands. It uses DTX only
/// if both ends do, and error correction only if the peer can use it.
public struct OpusParameters: Sendable, Equatable {
    /// The highest useful sampling rate, in Hz: 8000 to 48000.
    public var maxPlaybackRate = 48_000
    /// The highest average bitrate, in bit/s: 6000 to 510000.
    public var maxAverageBitrate = 510_000
    /// Whether the encoder sends nothing during silence.
    public var usesDTX = false
    /// When each packet also carries a low-quality copy of the previous one (RFC 6716 section 2.1.7).
    public enum ErrorCorrection: String, Sendable {
        /// This end neither sends copies nor uses those of the peer.
        case never
        /// While the peer loses some 2 % of the packets or more, and ten seconds longer.
        case onLoss
        /// From the beginning.
        case always
    }
    /// When packets carry copies; a peer that cannot use them gets none (`useinbandfec=1`, as browsers say, means that it can).
    ///
    /// Copies take bits from the audio, and the encoder codes it as speech. From the first copy on a receiver plays one packet later.
    public var errorCorrection = ErrorCorrection.onLoss
    /// The length of a packet in ms: 3, 5, 10, 20, 40, 60, 80, 100 or 120; longer ones than 60 are encoded as 60.
    public var ptimeMs = 20

    /// Full band at any rate, error correction when packets are lost, no DTX, 20 ms.
    public init() {}

    /// Super-wide band at 40 kbit/s, error correction.
    public static var stack: OpusParameters {
        var parameters = OpusParameters()
        parameters.errorCorrection = .always
        parameters.maxPlaybackRate = 24_000
        parameters.maxAverageBitrate = 40_000
        return parameters
    }

    /// Wide band at 20 kbit/s, error correction, DTX and long packets: for links that are slow or paid for by volume.
    public static var economical: OpusParameters {
        var parameters = OpusParameters()
        parameters.errorCorrection = .always
        parameters.maxPlaybackRate = 16_000
        parameters.maxAverageBitrate = 20_000
        parameters.usesDTX = true
        parameters.ptimeMs = 60
        return parameters
    }

    /// The valid packet lengths.
    static let ptimesMs = [3, 5, 10, 20, 40, 60, 80, 100, 120]

    /// A copy with defaults in place of values out of range, and a warning for each.
    func checked() -> (parameters: OpusParameters, warnings: [String]) {
        var parameters = self
        var warnings: [String] = []
        func warn(_ name: String, _ value: Int, _ allowed: String, _ fallback: Int) {
            warnings.append("Opus \(name) \(value) is not one of \(allowed); \(fallback) is used")
        }
        let defaults = OpusParameters()
        if !(8_000...48_000).contains(maxPlaybackRate) {
            warn("maxplaybackrate", maxPlaybackRate, "8000 to 48000 Hz", defaults.maxPlaybackRate)
            parameters.maxPlaybackRate = defaults.maxPlaybackRate
        }
        if !(6_000...510_000).contains(maxAverageBitrate) {
            warn("maxaveragebitrate", maxAverageBitrate, "6000 to 510000 bit/s", defaults.maxAverageBitrate)
            parameters.maxAverageBitrate = defaults.maxAverageBitrate
        }
        if !Self.ptimesMs.contains(ptimeMs) {
            warn("ptime", ptimeMs, Self.ptimesMs.map(String.init).joined(separator: ", ") + " ms", defaults.ptimeMs)
            parameters.ptimeMs = defaults.ptimeMs
        }
        return (parameters, warnings)
    }

    /// The value of `a=fmtp`: what differs from the defaults of RFC 7587.
    ///
    /// Some servers, such as Pion, take a written default for another codec than one that they have without it.
    var formatParameters: String {
        "minptime=10" + (errorCorrection == .never ? "" : ";useinbandfec=1") + (usesDTX ? ";usedtx=1" : "")
            + (maxPlaybackRate < 48_000 ? ";maxplaybackrate=\(maxPlaybackRate)" : "")
            + (maxAverageBitrate < 510_000 ? ";maxaveragebitrate=\(maxAverageBitrate)" : "")
    }

    /// What the encoder may do for a peer with these format parameters and this packet length, which loses many packets or not.
    func agreed(with peer: String?, ptimeMs peerPtime: Int?, isLossy: Bool = false) -> OpusParameters {
        var values: [Substring: Substring] = [:]
        for parameter in (peer ?? "").split(separator: ";") {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        var agreed = self
        if let rate = values["maxplaybackrate"].flatMap({ Int($0) }), (8_000...48_000).contains(rate) {
            agreed.maxPlaybackRate = min(maxPlaybackRate, rate)
        }
        if let rate = values["maxaveragebitrate"].flatMap({ Int($0) }), (6_000...510_000).contains(rate) {
            agreed.maxAverageBitrate = min(maxAverageBitrate, rate)
        }
        agreed.usesDTX = usesDTX && values["usedtx"] == "1"
        let isWanted = errorCorrection == .always || errorCorrection == .onLoss && isLossy
        agreed.errorCorrection = isWanted && values["useinbandfec"] == "1" ? .always : .never
        if let peerPtime, Self.ptimesMs.contains(peerPtime) { agreed.ptimeMs = max(ptimeMs, peerPtime) }
        return agreed
    }

    /// The values for the encoder's pipeline description; `bitrate` is the track's target, in bit/s.
    func encoderValues(bitrate: Int) -> [String: String] {
        // Sampling rates of RFC 6716 section 2.
        let bands: [(Int, String)] = [
            (8_000, "narrowband"), (12_000, "mediumband"), (16_000, "wideband"), (24_000, "superwideband"),
        ]
        let frameSizes: [(Int, String)] = [(3, "2.5"), (5, "5"), (10, "10"), (20, "20"), (40, "40")]
        return [
            "bitrate": String(min(bitrate, maxAverageBitrate)),
            "bandwidth": bands.first { maxPlaybackRate <= $0.0 }?.1 ?? "fullband",
            "frameSize": frameSizes.first { ptimeMs <= $0.0 }?.1 ?? "60",
            // libopus detects silence from complexity 7 on.
            "complexity": usesDTX ? "7" : "5", "dtx": String(usesDTX), "dtxPackets": String(usesDTX),
            "fec": String(errorCorrection == .always),
            // libopus chooses the mode with copies only when it expects more than 5 % loss (`opus_encoder.c`: SILK).
            "lossPercent": errorCorrection == .always ? "10" : "0",
        ]
    }

    /// The values for the decoder's pipeline description.
    ///
    /// Unless the peer announces two channels (`sprop-stereo=1`), one is decoded, and libopus mixes into it whatever arrives: two channels would be
    /// the same twice.
    func decoderValues(isStereo: Bool) -> [String: String] {
        ["caps": "audio/x-opus,channels=\(isStereo ? 2 : 1)"]
    }
}
