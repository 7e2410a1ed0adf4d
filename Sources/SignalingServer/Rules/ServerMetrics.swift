/// The metrics of the server, for Prometheus (text format 0.0.4).
///
/// The number of lines is bounded: values that clients choose freely, such as an undocumented type, count as `other`.
struct ServerMetrics: Sendable {
    /// Values that are read at the moment of a request.
    struct Gauges: Sendable {
        var connections = 0
        var users = 0
        var devices = 0
        var calls = 0
        var pendingBytes = 0
    }

    /// The types of `docs/signaling.md` that a client may send.
    private static let types: Set<String> = [
        "invite", "ringing", "progress", "accept", "reject", "cancel", "hangup", "candidate", "offer", "answer",
        "renegotiate", "commit", "rollback", "iceRestart", "state", "info", "query", "status", "skip", "ack", "error",
    ]

    private var connections = 0
    private var cutOffs = 0
    private var refusedConnections: [String: Int] = [:]
    private var routed: [String: Int] = [:]
    private var dropped = 0
    private var errors: [Int: Int] = [:]
    private var refusedSignIns: [Int: Int] = [:]
    private var callsEnded: [String: Int] = [:]
    private var callSeconds = Histogram(bounds: [1, 5, 15, 30, 60, 180, 300, 600, 1_800, 3_600, 7_200, 14_400])
    private var bytesReceived = 0
    private var bytesSent = 0
    private var pendingBytesMax = 0
    private var routing = Histogram(bounds: [
        0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1,
    ])

    mutating func accepted() { connections += 1 }
    mutating func refusedConnection(_ reason: String) { refusedConnections[reason, default: 0] += 1 }
    mutating func cutOff() { cutOffs += 1 }
    mutating func received(bytes: Int) { bytesReceived += bytes }
    mutating func sent(bytes: Int, pending: Int) {
        bytesSent += bytes
        pendingBytesMax = max(pendingBytesMax, pending)
    }
    mutating func droppedMessage() { dropped += 1 }
    mutating func routed(type: String?, seconds: Double) {
        routed[type.flatMap { Self.types.contains($0) ? $0 : nil } ?? "other", default: 0] += 1
        routing.observe(seconds)
    }

    mutating func ended(_ call: CallRecord) {
        callsEnded[call.outcome.rawValue, default: 0] += 1
        if let connectedMs = call.connectedMs { callSeconds.observe(Double(connectedMs) / 1_000) }
    }

    /// Counts the messages of the server itself.
    mutating func said(_ message: ServerMessage) {
        switch message {
        case .error(let fault, _, _, _): errors[fault.code, default: 0] += 1
        case .refused(let code, _): refusedSignIns[code, default: 0] += 1
        default: break
        }
    }

    /// All metrics as text.
    func text(_ gauges: Gauges) -> String {
        var page = PrometheusPage()
        page.gauge("connections", "Open sockets.", gauges.connections)
        page.gauge("signed_in_users", "Users that are signed in.", gauges.users)
        page.gauge("signed_in_devices", "Devices that are signed in.", gauges.devices)
        page.gauge("calls", "Calls that have not ended, as far as the server knows.", gauges.calls)
        page.counter("connections_accepted_total", "Sockets that were accepted.", connections)
        page.counters(
            "connections_refused_total", "Sockets that were closed at once, by bound.", label: "bound",
            refusedConnections)
        page.counter(
            "connections_cut_off_total", "Sockets that were closed because too much waited for all together.", cutOffs)
        page.counters("messages_routed_total", "Messages that were handed on, by type.", label: "type", routed)
        page.counter("messages_dropped_total", "Messages beyond the allowed rate.", dropped)
        page.counters(
            "errors_total", "Errors that clients were answered with, by code.", label: "code", Self.named(errors))
        page.counters(
            "sign_ins_refused_total", "Sign-ins that were refused, by code.", label: "code", Self.named(refusedSignIns))
        page.counters(
            "calls_ended_total", "Calls that ended, by outcome, as far as the server knows.", label: "outcome",
            callsEnded)
        page.histogram("call_seconds", "How long calls that were accepted lasted since then.", callSeconds)
        page.counter("received_bytes_total", "Bytes of messages that came.", bytesReceived)
        page.counter("sent_bytes_total", "Bytes of messages that were sent.", bytesSent)
        page.gauge("pending_bytes", "Bytes that wait for all clients together.", gauges.pendingBytes)
        page.gauge("pending_bytes_max", "The most bytes that ever waited for one client.", pendingBytesMax)
        page.histogram("routing_seconds", "From a message's arrival to its last write.", routing)
        return page.text
    }

    private static func named(_ codes: [Int: Int]) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: codes.map { ("\($0.key)", $0.value) })
    }
}
