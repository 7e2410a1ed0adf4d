/// Reads the telephone events (RFC 4733) among the packets of an audio track.
///
/// The depayloader posts each digit on the bus; the tone that it makes of the digit is discarded.
final class DtmfReceiver: Sendable {
    private let input: Pad

    init(pipeline: Element) throws(MediaError) {
        let depayloader = try Element("rtpdtmfdepay")
        let sink = try Element("fakesink")
        try sink.set("async", "false")
        try sink.set("sync", "false")
        pipeline.add(depayloader)
        pipeline.add(sink)
        try depayloader.link(to: sink)
        input = try depayloader.pad("sink")
    }

    /// Links the pad on which webrtcbin delivers the events; a later pad replaces it.
    func connect(_ source: Pad) throws(MediaError) { try input.relink(to: source) }
}
