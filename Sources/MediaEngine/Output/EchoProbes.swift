internal import Synchronization

/// Taps the played audio, so that its echo can be removed from the microphone's audio.
///
/// `webrtcdsp` looks for its probe by name in the whole process, and must find it when it starts, which is before anything is played. A probe
/// serves one `webrtcdsp` at a time. So there are several in a row: while one connection replaces another, both process audio.
final class EchoProbes: Sendable {
    /// One for the present connection, one for the next, and one for a former one that is still closing.
    private static let count = 3

    private let probes: [(name: String, element: Element)]
    private let free: Mutex<[String]>

    /// - Throws: ``MediaError/pluginMissing(element:)``.
    init() throws(MediaError) {
        var probes: [(name: String, element: Element)] = []
        for _ in 0..<Self.count {
            let name = "probe-\(UInt64.random(in: 0...UInt64.max))"
            probes.append((name, try Element("webrtcechoprobe", name: name)))
        }
        self.probes = probes
        free = Mutex(probes.map(\.name))
    }

    /// The name of a probe for a connection; nil when all are in use.
    func take() -> String? { free.withLock { $0.popLast() } }

    /// A connection has stopped its processing.
    func giveBack(_ name: String) { free.withLock { $0.append(name) } }

    /// Puts the probes between two elements of `bin` that are not linked yet.
    func insert(between source: Element, and sink: Element, in bin: Element) throws(MediaError) {
        let format = try Element(
            launch: "audioconvert ! audioresample ! capsfilter caps=audio/x-raw,format=S16LE,rate=48000",
            description: "echo probe")
        bin.add(format)
        try source.link(to: format)
        var last = format
        for (_, probe) in probes {
            bin.add(probe)
            try last.link(to: probe)
            last = probe
        }
        if let queue = try TimedEchoReference.queue() {
            bin.add(queue)
            try last.link(to: queue)
            last = queue
        }
        try last.link(to: sink)
    }
}
