internal import CallProtocol
internal import Logging

/// Writes the log lines for the operator: one for each refused sign-in, one for each ended call.
///
/// Text from clients is made printable, and no line contains a token.
struct ServerLog {
    private let logger: Logger
    /// Limits the lines about refused sign-ins: a stranger could fill the disk with them.
    private var refusals = TokenBucket(perSecond: refusalsPerSecond, capacity: refusalBurst, uptimeMs: 0)
    private var omitted = 0

    /// How many refused sign-ins are logged per second, and at once after a pause.
    private static let refusalsPerSecond = 10
    private static let refusalBurst = 100

    init(_ logger: Logger) { self.logger = logger }

    /// A sign-in was refused; beyond the rate it is only counted, and the next line has the count.
    mutating func refused(
        user: String?, device: String?, from client: ClientAddress?, code: Int, text: String, at now: Moment
    ) {
        guard refusals.take(at: now.uptimeMs) else {
            omitted += 1
            return
        }
        var metadata: Logger.Metadata = [
            "user": "\(Self.printable(user))", "address": "\(Self.text(client?.address))", "code": "\(code)",
            "reason": "\(text)",
        ]
        if let device { metadata["device"] = "\(Self.printable(device))" }
        if omitted > 0 { metadata["omitted"] = "\(omitted)" }
        omitted = 0
        logger.notice("sign-in refused", metadata: metadata)
    }

    /// A call ended.
    func ended(_ call: CallRecord) {
        var metadata: Logger.Metadata = [
            "call": "\(call.callId)", "caller": "\(call.caller.user)", "callerDevice": "\(call.caller.device)",
            "callee": "\(call.callee)", "startedUnixMs": "\(call.started.unixMs)",
            "outcome": "\(call.outcome.rawValue)",
        ]
        metadata["calleeDevice"] = call.calleeDevice.map { "\($0)" }
        metadata["endedUnixMs"] = call.ended.map { "\($0.unixMs)" }
        metadata["connectedMs"] = call.connectedMs.map { "\($0)" }
        metadata["code"] = call.code.map { "\($0)" }
        if call.isResumed { metadata["resumed"] = "true" }
        logger.info("call ended", metadata: metadata)
    }

    static func text(_ address: IPAddress?) -> String { address.map { "\($0)" } ?? "unknown" }

    /// Unchecked text of a client: cut to the length of a name, with other characters than those of names replaced.
    private static func printable(_ text: String?) -> String {
        guard let text, !text.isEmpty else { return "-" }
        return String(text.unicodeScalars.prefix(64).map { SignalingLimits.isName(String($0)) ? Character($0) : "?" })
    }
}
