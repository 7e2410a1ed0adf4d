internal import Synchronization

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

/// Sends DTMF digits as telephone events (RFC 4733) among the packets of an audio track.
final class DtmfSender: Sendable {
    /// The clock rate of the audio, which also times the events.
    private let clockRate: Int
    private let format: Mutex<TelephoneEvent?>
    private let multiplexer: Element
    private let pipeline: Element
    /// Made with the first digit: in an offer, its caps would be taken for those of the audio.
    private let source = Mutex<Pad?>(nil)

    /// Puts a multiplexer between `payloader` and `webrtcSink`; audio pauses while a digit is sent.
    ///
    /// `clockRate` is that of the audio.
    init(
        _ format: TelephoneEvent, clockRate: Int, ssrc: UInt32, from payloader: Pad, to webrtcSink: Pad,
        pipeline: Element
    ) throws(MediaError) {
        self.format = Mutex(format)
        self.clockRate = clockRate
        self.pipeline = pipeline
        multiplexer = try Element("rtpdtmfmux")
        try multiplexer.set("ssrc", String(ssrc))
        pipeline.add(multiplexer)
        try payloader.link(to: multiplexer.requestPad("sink_%u"))
        // The multiplexer would answer with the caps that all its sources have in common: none.
        let multiplexed = try multiplexer.pad("src")
        multiplexed.answerAnyCaps()
        try multiplexed.link(to: webrtcSink)
        try multiplexer.syncStateWithParent()
    }

    /// Whether the element of this path is the multiplexer.
    func contains(_ path: String) -> Bool { multiplexer.contains(path) }

    /// Removes it from its pipeline; no digit was sent yet.
    func remove() { pipeline.remove(multiplexer) }

    /// Sets the negotiated format, before the first digit; nil for a peer that accepts no telephone events.
    func agree(on format: TelephoneEvent?) { self.format.withLock { $0 = format } }

    /// Queues a digit: it lasts 320 ms, and audio passes for 120 ms before the next.
    ///
    /// Used on the executor of the connection.
    func send(_ digit: DtmfDigit) throws(MediaError) {
        let pad: Pad
        if let known = source.withLock({ $0 }) {
            pad = known
        } else {
            guard let format = format.withLock({ $0 }) else { return }
            pad = try makeSource(format)
            source.withLock { $0 = pad }
        }
        pad.sendDtmf(event: digit.event, start: true)
        pad.sendDtmf(event: digit.event, start: false)
    }

    /// The packet time of rtpdtmfsrc, unless caps request another.
    private static let packetTime = Duration.milliseconds(40)

    private func makeSource(_ format: TelephoneEvent) throws(MediaError) -> Pad {
        let source = try Element("rtpdtmfsrc")
        try source.set("pt", String(format.payloadType))
        try source.set("clock-rate", String(clockRate))
        let output = try source.pad("src")
        // The last packet of a digit also covers the pause after the digit, and no audio would pass in that pause. But browsers play the
        // next digit on time only after audio: their NetEQ stands still while it has nothing to decode.
        output.limitBufferDuration(to: Self.packetTime)
        output.edit { [clockRate] packet, _ in format.rescaleDuration(in: packet, from: clockRate) }
        pipeline.add(source)
        try output.link(to: multiplexer.requestPad("priority_sink_%u"))
        try source.syncStateWithParent()
        return output
    }

    /// The payload type that our offers give to telephone events of a clock rate.
    static func payloadType(clockRate: Int) -> Int { clockRate == 48_000 ? 110 : 101 }

    static var isAvailable: Bool {
        ["rtpdtmfmux", "rtpdtmfsrc", "rtpdtmfdepay"].allSatisfy(GStreamerLibrary.hasElement)
    }
}

/// Reads the telephone events (RFC 4733) among the packets of an audio track.
///
/// The depayloader posts each digit on the bus; the tone that it makes of the digit is discarded.
final class DtmfReceiver: Sendable {
    private let input: ReplaceableInput

    init(pipeline: Element) throws(MediaError) {
        let depayloader = try Element("rtpdtmfdepay")
        let sink = try Element("fakesink")
        try sink.set("async", "false")
        try sink.set("sync", "false")
        pipeline.add(depayloader)
        pipeline.add(sink)
        try depayloader.link(to: sink)
        input = ReplaceableInput(try depayloader.pad("sink"))
    }

    /// Links the pad on which webrtcbin delivers the events; a later pad replaces it.
    func connect(_ source: Pad) throws(MediaError) { try input.link(source) }
}
