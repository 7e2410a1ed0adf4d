/// What was measured of one way of signaling.
struct TransportFigures: Encodable {
    var signIn: Latencies
    /// How long it took until all devices were signed in.
    var signInSeconds: Double
    /// From sending the invite to the arrival of the ringing, and to that of the accept.
    var ringing: Latencies
    var accept: Latencies
    var setUps: Int
    var failedSetUps: Int
    var messages: Int
    var lostMessages: Int
    var faults: Int
    var firstFault: String?
    var serverCoreShare: Double
    var serverResidentBytes: Int
    var serverBytesPerDevice: Int
    /// All devices together, in the process of the benchmark.
    var clientsCoreShare: Double
    var clientBytesPerDevice: Int
    var clientsThreads: Int

    /// What must not happen at any rate.
    var complaints: [String] {
        var complaints: [String] = []
        if failedSetUps > 0 { complaints.append("\(failedSetUps) of \(setUps) set-ups did not complete") }
        if lostMessages != 0 { complaints.append("\(lostMessages) of \(messages) messages did not arrive") }
        if faults > 0 { complaints.append("\(faults) errors, the first one: \(firstFault ?? "")") }
        return complaints
    }

    /// The rows of the table: what, and its value.
    var rows: [(String, String)] {
        func text(_ latencies: Latencies) -> String {
            "\(latencies.p50Ms) / \(latencies.p95Ms) / \(latencies.p99Ms) / \(latencies.maxMs)"
        }
        func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
        let perSecond = Int(Double(signIn.count) / signInSeconds)
        return [
            ("sign-in, p50 / p95 / p99 / max ms", text(signIn)),
            ("sign-ins a second", "\(perSecond)"),
            ("invite to ringing, p50 / p95 / p99 / max ms", text(ringing)),
            ("invite to accept, p50 / p95 / p99 / max ms", text(accept)),
            ("set-ups, failed", "\(setUps), \(failedSetUps)"),
            ("messages, lost", "\(messages), \(lostMessages)"),
            ("server, of a core", percent(serverCoreShare)),
            ("server, resident MB", "\(serverResidentBytes / 1_000_000)"),
            ("server, kB a device", "\(serverBytesPerDevice / 1_000)"),
            ("devices, of a core", percent(clientsCoreShare)),
            ("devices, kB each", "\(clientBytesPerDevice / 1_000)"),
            ("devices, threads", "\(clientsThreads)"),
        ]
    }
}
