internal import CGStreamer
internal import Foundation

/// The level of audio in a header extension of its packets (RFC 6464), by which a server knows who speaks without decoding.
///
/// A probe notes the level of what the encoder gets; it travels with the buffers to the payloader, which writes it into the packets. It is readable to whoever sees the packets on their
/// way: the header is not encrypted.
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

    /// The level in -dBov of samples, interleaved and in the byte order of this machine; nil for another format than 16 bits or 32-bit floating point.
    static func level(of bytes: UnsafeRawBufferPointer, _ format: GstAudioFormat) -> UInt8? {
        switch format {
        case cgst_audio_format_s16():
            level(bytes, of: Int16.self) { Double($0) / 32_768 }
        case cgst_audio_format_f32():
            level(bytes, of: Float.self) { Double($0) }
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

extension Pad {
    /// Notes the level of each buffer of raw audio that passes.
    func noteAudioLevel() {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            guard let caps = gst_pad_get_current_caps(info.pad) else { return GST_PAD_PROBE_OK }
            defer { gst_caps_unref(caps) }
            var shape = GstAudioInfo()
            guard let buffer = info.buffer, gst_audio_info_from_caps(&shape, caps) != 0,
                let format = shape.finfo?.pointee.format,
                let level = BufferRef(borrowing: buffer).withBytes({ AudioLevel.level(of: $0, format) }) ?? nil
            else { return GST_PAD_PROBE_OK }
            if let writable = info.makeWritable() { gst_buffer_add_audio_level_meta(writable, level, 0) }
            return GST_PAD_PROBE_OK
        }
    }
}

extension Element {
    /// Lets this payloader write the noted level into its packets, in the header extension with this id.
    func writeAudioLevel(id: Int) throws(MediaError) {
        let writer = try Element("rtphdrextclientaudiolevel")
        gst_rtp_header_extension_set_id(UnsafeMutableRawPointer(writer.ref.pointer).cast(), guint(id))
        emit("add-extension", [.element(writer)])
    }
}
