/// Taps the played audio, so that its echo can be removed from the microphone's audio.
///
/// `webrtcdsp` looks for its probe by name in the whole process, and must find it when it starts, which is before anything is played.
struct EchoProbe: Sendable {
    /// Unique in the process.
    let name = "probe-\(UInt64.random(in: 0...UInt64.max))"
    private let probe: Element

    /// - Throws: ``MediaError/pluginMissing(element:)``.
    init() throws(MediaError) { probe = try Element("webrtcechoprobe", name: name) }

    /// Puts the probe between two elements of `bin` that are not linked yet.
    func insert(between source: Element, and sink: Element, in bin: Element) throws(MediaError) {
        let format = try Element(
            launch: "audioconvert ! audioresample ! capsfilter caps=audio/x-raw,format=S16LE,rate=48000",
            description: "echo probe")
        bin.add(format)
        bin.add(probe)
        try source.link(to: format)
        try format.link(to: probe)
        if let queue = try TimedEchoReference.queue() {
            bin.add(queue)
            try probe.link(to: queue)
            try queue.link(to: sink)
        } else {
            try probe.link(to: sink)
        }
    }
}
