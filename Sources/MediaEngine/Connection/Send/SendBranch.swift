/// The elements of one sent track: where captured media enters, the encoder and the payloader.
struct SendBranch {
    /// The `proxysrc` that takes what is captured.
    let proxy: Element
    /// The instance of the encoder's description, with ``encoder`` and ``payloader`` in it.
    let bin: Element
    let encoder: Element
    let payloader: Element
    /// Where raw media enters the encoder.
    let encoderSink: Pad

    /// Builds the elements, outside any pipeline.
    ///
    /// With `numbersPackets` packets get the extension of ``TransportFeedback`` once it is negotiated.
    init(
        _ kind: MediaKind, _ description: PipelineDescription, payloadType: Int, ssrc: UInt32, numbersPackets: Bool
    ) throws(MediaError) {
        proxy = try Element("proxysrc")
        try proxy.keepOnlyLatest(kind)
        (bin, encoder, payloader) = try Self.encoder(
            description, payloadType: payloadType, ssrc: ssrc, numbersPackets: numbersPackets)
        encoderSink = try encoder.pad("sink")
        // A capture that ends would end all media of the call: webrtcbin's funnel forwards the first end of stream.
        try proxy.pad("src").interceptEndOfStream()
    }

    /// Builds only the instance of the encoder's description.
    static func encoder(
        _ description: PipelineDescription, payloadType: Int, ssrc: UInt32, numbersPackets: Bool
    ) throws(MediaError) -> (bin: Element, encoder: Element, payloader: Element) {
        let bin = try description.instantiate(["payload": String(payloadType), "ssrc": String(ssrc), "mtu": "1200"])
        guard let encoder = bin.child("encoder") else { throw .noPad(element: description.name, pad: "encoder") }
        guard let payloader = bin.child("payloader") else { throw .noPad(element: description.name, pad: "payloader") }
        // See ``RepeatedStreamEvents``.
        try payloader.pad("sink").presentInRunningTime()
        try payloader.set("auto-header-extension", numbersPackets ? "true" : "false")
        return (bin, encoder, payloader)
    }
}
