internal import Synchronization

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
