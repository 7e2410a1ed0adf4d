internal import Synchronization

/// Sends keys as telephone events (RFC 4733) among the packets of a sound track.
final class DtmfSender: Sendable {
    /// That of the sound, by which events are timed, too.
    private let clockRate: Int
    private let format: Mutex<TelephoneEvent?>
    private let multiplexer: Element
    private let pipeline: Element
    /// Made with the first key: the caps that it announces would be taken for those of the sound in an offer.
    private let source = Mutex<Pad?>(nil)

    /// Puts a multiplexer between `payloader` and `webrtcSink`; sound pauses while a key is sent.
    ///
    /// `clockRate` is that of the sound.
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
        // The multiplexer would say that it gives what all its sources give, which is nothing.
        let multiplexed = try multiplexer.pad("src")
        multiplexed.answerAnyCaps()
        try multiplexed.link(to: webrtcSink)
        try multiplexer.syncStateWithParent()
    }

    /// Whether the element of this path is the multiplexer.
    func contains(_ path: String) -> Bool { multiplexer.contains(path) }

    /// Takes it out of its pipeline; no key was sent yet.
    func remove() { pipeline.remove(multiplexer) }

    /// Takes what was agreed on, before the first key; nil for a peer that takes none.
    func settle(_ format: TelephoneEvent?) { self.format.withLock { $0 = format } }

    /// Queues a key: it lasts 250 ms at least, and 100 ms at least pass before the next.
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

    private func makeSource(_ format: TelephoneEvent) throws(MediaError) -> Pad {
        let source = try Element("rtpdtmfsrc")
        try source.set("pt", String(format.payloadType))
        try source.set("clock-rate", String(clockRate))
        let output = try source.pad("src")
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
