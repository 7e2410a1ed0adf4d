internal import CallAgent
internal import CMosquitto
internal import Glibc

/// Why a connection to a broker ended or did not come about.
enum BrokerFailure: Error, Sendable, Equatable {
    /// The broker cannot be reached, or the connection was lost; `text` says why.
    case unreachable(text: String)
    /// The broker refused the sign-in with this reason code.
    case refused(reason: Int32, text: String)
    /// The broker does not speak this version of MQTT.
    case unsupportedVersion
    /// This end closed it.
    case closed

    /// From the reason code of a CONNACK.
    init(connect reason: Int32, version: BrokerSettings.Version) {
        switch (version, reason) {
        case (_, 132), (.v311, 1): self = .unsupportedVersion
        // The server is unavailable or busy, asks for another server, or has too many clients.
        case (.v311, 3), (.v5, 0x88), (.v5, 0x89), (.v5, 0x9C), (.v5, 0x9D), (.v5, 0x9F), (.v5, 0x97):
            self = .unreachable(text: Self.text(connect: reason, version))
        default: self = .refused(reason: reason, text: Self.text(connect: reason, version))
        }
    }

    private static func text(connect reason: Int32, _ version: BrokerSettings.Version) -> String {
        let text = version == .v5 ? mosquitto_reason_string(reason) : mosquitto_connack_string(reason)
        return text.map { String(cString: $0) } ?? "reason \(reason)"
    }

    /// From a result of the library; `detail` is its last line about TLS, `socketError` the system's error.
    init(result: Int32, socketError: Int32, detail: String?) {
        if let detail, detail.contains("certificate verify failed") {
            self = .unreachable(
                text:
                    "its certificate is not trusted; is it expired, or does the file with trusted roots lack its issuer?"
            )
        } else if let detail, detail.contains("wrong version number") {
            self = .unreachable(text: "the server does not speak TLS; use mqtt://")
        } else if result == Int32(MOSQ_ERR_EAI.rawValue) {
            self = .unreachable(text: "the host name cannot be resolved")
        } else if result == Int32(MOSQ_ERR_TLS.rawValue) {
            self = .unreachable(text: "the TLS handshake failed\(detail.map { ": \($0)" } ?? "")")
        } else if socketError != 0 {
            self = .unreachable(text: Self.text(system: socketError))
        } else {
            let text =
                switch mosq_err_t(result) {
                case MOSQ_ERR_CONN_LOST, MOSQ_ERR_SUCCESS, MOSQ_ERR_NO_CONN: "the broker closed the connection"
                case MOSQ_ERR_KEEPALIVE: "the broker is silent"
                default: String(cString: mosquitto_strerror(result)).lowercased()
                }
            self = .unreachable(text: text)
        }
    }

    private static func text(system code: Int32) -> String {
        switch code {
        case ECONNREFUSED: "connection refused"
        case ECONNRESET, EPIPE: "connection reset"
        case ETIMEDOUT: "timed out"
        case EHOSTUNREACH, ENETUNREACH: "no route to the host"
        default: String(cString: strerror(code)).lowercased()
        }
    }
}

extension BrokerFailure: CustomStringConvertible {
    var description: String {
        switch self {
        case .unreachable(let text), .refused(_, let text): text
        case .unsupportedVersion: "the broker speaks neither MQTT 5 nor MQTT 3.1.1"
        case .closed: "this end closed the connection"
        }
    }

    /// The same for the application.
    func signalingError(_ url: String, hasPassword: Bool) -> SignalingError {
        switch self {
        case .unreachable, .unsupportedVersion: .unreachable(url, text: description)
        // Bad user name or password, not authorized, bad authentication method; in MQTT 3.1.1: 4 and 5.
        case .refused(let reason, let text) where [0x86, 0x87, 0x8C, 4, 5, 0x80].contains(reason):
            .signInRefused(code: hasPassword ? 403 : 401, text: text)
        case .refused(_, let text): .signInRefused(code: 400, text: text)
        case .closed: .closed
        }
    }
}
