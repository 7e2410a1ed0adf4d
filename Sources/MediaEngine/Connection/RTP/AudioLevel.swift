internal import Foundation

/// The level of audio in a header extension of its packets (RFC 6464), by which a server knows who speaks without decoding.
///
/// A probe notes the level of what the encoder gets. It travels with the buffers to the payloader, which writes it into the packets.
/// Whoever sees the packets on their way can read it: the header is not encrypted.
enum AudioLevel {
    /// The name in `a=extmap`.
    static let extensionURI = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
    /// The id of the extension in this end's offers.
    static let offeredId = 4
    /// The level of silence, in -dBov, and the lowest one.
    static let silence: UInt8 = 127

    /// The attribute that offers it.
    ///
    /// It has no `vad=off`, although the packets never say that the audio is speech: aiortc refuses an `a=extmap` with attributes.
    static var offer: String { "a=extmap:\(offeredId) \(extensionURI)" }

    /// The level in -dBov of interleaved samples; nil for another format than GStreamer's `S16LE` and `F32LE`, or on a machine of another byte order.
    static func level(of bytes: UnsafeRawBufferPointer, format: String) -> UInt8? {
        guard 1.littleEndian == 1 else { return nil }
        return switch format {
        case "S16LE": level(bytes, of: Int16.self) { Double($0) / 32_768 }
        case "F32LE": level(bytes, of: Float.self) { Double($0) }
        default: nil
        }
    }

    private static func level<Sample: BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer, of type: Sample.Type, _ amplitude: (Sample) -> Double
    ) -> UInt8 {
        let count = bytes.count / MemoryLayout<Sample>.size
        var power = 0.0
        for index in 0..<count {
            let sample = amplitude(
                bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Sample>.size, as: Sample.self))
            power += sample * sample
        }
        guard power > 0, power.isFinite else { return silence }
        return UInt8(min(max(-10 * log10(power / Double(count)), 0), Double(silence)).rounded())
    }
}
