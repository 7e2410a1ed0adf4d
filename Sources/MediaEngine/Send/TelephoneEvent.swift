/// A format of telephone events (RFC 4733), negotiated or offered.
///
/// Events share the SSRC, the sequence numbers and the timestamps of the audio (section 2.1), and a stream has one clock. So the clock
/// of the audio codec always times them, and ``clockRate`` is only the unit of their durations. Browsers do the same: Firefox supports
/// only 8000 Hz, beside Opus, whose clock is 48000 Hz.
struct TelephoneEvent: Sendable, Equatable {
    let payloadType: Int
    /// In Hz.
    let clockRate: Int

    /// The clock rate that every peer with telephone events supports (RFC 7874 section 3).
    static let usualClockRate = 8_000

    /// The clock rates that may be negotiated beside a codec of this clock rate, best first.
    static func clockRates(beside clockRate: Int) -> [Int] {
        clockRate == usualClockRate ? [clockRate] : [clockRate, usualClockRate]
    }

    /// As in `a=rtpmap`.
    static func rtpmap(clockRate: Int) -> String { "telephone-event/\(clockRate)" }

    /// As in `a=fmtp`: the sixteen digits.
    static let parameters = "0-15"

    /// Converts the duration of an event from units of `clock` Hz to units of ``clockRate``; `packet` is a whole RTP packet.
    func rescaleDuration(in packet: UnsafeMutableRawBufferPointer, from clock: Int) {
        // The event, its flags and volume, and two bytes of duration, behind a header without extensions.
        guard clock != clockRate, clock > 0, packet.count == 16 else { return }
        let duration = Int(packet[14]) << 8 | Int(packet[15])
        let rescaled = UInt16(clamping: duration * clockRate / clock)
        packet[14] = UInt8(rescaled >> 8)
        packet[15] = UInt8(rescaled & 0xFF)
    }
}
