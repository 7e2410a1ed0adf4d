/// What this end asks of Opus, in its description (RFC 7587 section 6.1) and of its own encoder.
///
/// A peer's wishes bound the encoder as well: it sends no more than the lower rate and the narrower band of the two, uses DTX only where
/// both do, and error correction where the peer decodes it.
public struct OpusParameters: Sendable, Equatable {
    /// The highest sampling rate that is worth sending, in Hz: 8000 to 48000.
    public var maxPlaybackRate = 48_000
    /// The highest mean rate, in bit/s: 6000 to 510000.
    public var maxAverageBitrate = 510_000
    /// Whether nothing is sent during silence.
    public var usesDTX = false
    /// Whether each packet also holds a poor copy of the one before.
    ///
    /// What arrives is heard one packet later then, and what is sent is coded as speech.
    public var usesInbandFEC = false
    /// The length of a packet in ms: 3, 5, 10, 20, 40, 60, 80, 100 or 120; what is longer than 60 is encoded as 60.
    public var ptimeMs = 20

    /// Full band at any rate, no error correction, no DTX, 20 ms.
    public init() {}

    /// Super-wide band at 40 kbit/s, error correction.
    public static var stack: OpusParameters {
        var parameters = OpusParameters()
        parameters.usesInbandFEC = true
        parameters.maxPlaybackRate = 24_000
        parameters.maxAverageBitrate = 40_000
        return parameters
    }

    /// Wide band at 20 kbit/s, error correction, DTX and long packets: for links that are slow or paid for by volume.
    public static var economical: OpusParameters {
        var parameters = OpusParameters()
        parameters.usesInbandFEC = true
        parameters.maxPlaybackRate = 16_000
        parameters.maxAverageBitrate = 20_000
        parameters.usesDTX = true
        parameters.ptimeMs = 60
        return parameters
    }

    /// Packet lengths that may be asked for.
    static let ptimesMs = [3, 5, 10, 20, 40, 60, 80, 100, 120]

    /// The same with the defaults in the place of what is out of range, and a line on each of those.
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

    /// As `a=fmtp` says it.
    var formatParameters: String {
        "minptime=10;useinbandfec=\(usesInbandFEC ? 1 : 0);usedtx=\(usesDTX ? 1 : 0)"
            + (maxPlaybackRate < 48_000 ? ";maxplaybackrate=\(maxPlaybackRate)" : "")
            + (maxAverageBitrate < 510_000 ? ";maxaveragebitrate=\(maxAverageBitrate)" : "")
    }

    /// What the encoder may do for a peer whose description has these format parameters and packet length.
    func agreed(with peer: String?, ptimeMs peerPtime: Int?) -> OpusParameters {
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
        agreed.usesInbandFEC = usesInbandFEC && values["useinbandfec"] == "1"
        if let peerPtime, Self.ptimesMs.contains(peerPtime) { agreed.ptimeMs = max(ptimeMs, peerPtime) }
        return agreed
    }

    /// The values of the encoder's pipeline description; `bitrate` is what the track aims at, in bit/s.
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
            // libopus notices silence from complexity 7 on.
            "complexity": usesDTX ? "7" : "5", "dtx": String(usesDTX), "dtxPackets": String(usesDTX),
            "fec": String(usesInbandFEC),
            // Only when it expects more than 5 % to be lost does libopus choose the mode that has copies (`opus_encoder.c`: SILK).
            "lossPercent": usesInbandFEC ? "10" : "0",
        ]
    }

    /// The values of the decoder's pipeline description.
    ///
    /// Of a peer that does not say that it sends two channels (`sprop-stereo=1`) one is decoded, into which libopus mixes what there is: two would be the
    /// same twice.
    func decoderValues(isStereo: Bool) -> [String: String] {
        ["fec": String(usesInbandFEC), "caps": "audio/x-opus,channels=\(isStereo ? 2 : 1)"]
    }
}
