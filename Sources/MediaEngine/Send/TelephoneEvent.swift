/// A format of telephone events (RFC 4733) that two ends have agreed on, or may.
///
/// Events share the SSRC, the sequence numbers and the timestamps of the sound (section 2.1), and a stream has one clock. So whatever
/// their own rate, they are timed by the clock of the sound's codec, and ``clockRate`` is the unit of their durations alone. Browsers do the
/// same: Firefox knows 8000 Hz only, beside Opus, whose clock is 48000 Hz.
struct TelephoneEvent: Sendable, Equatable {
    let payloadType: Int
    /// In Hz.
    let clockRate: Int

    /// What every peer knows that knows any (RFC 7874 section 3).
    static let usualClockRate = 8_000

    /// The clock rates that may be agreed on beside a codec of this clock, best first.
    static func clockRates(beside clockRate: Int) -> [Int] {
        clockRate == usualClockRate ? [clockRate] : [clockRate, usualClockRate]
    }

    /// As in `a=rtpmap`.
    static func rtpmap(clockRate: Int) -> String { "telephone-event/\(clockRate)" }

    /// As in `a=fmtp`: the sixteen keys.
    static let parameters = "0-15"

    /// Writes the duration of an event, which is in units of `clock` Hz, in units of ``clockRate``; `packet` is a whole RTP packet.
    func rescaleDuration(in packet: UnsafeMutableRawBufferPointer, from clock: Int) {
        // The event, its flags and volume, and two bytes of duration, behind a header without extensions.
        guard clock != clockRate, clock > 0, packet.count == 16 else { return }
        let duration = Int(packet[14]) << 8 | Int(packet[15])
        let rescaled = UInt16(clamping: duration * clockRate / clock)
        packet[14] = UInt8(rescaled >> 8)
        packet[15] = UInt8(rescaled & 0xFF)
    }
}
