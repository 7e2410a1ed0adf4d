internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Describes in a few words why a connection failed.
package enum ConnectionFailure {
    /// The text; nil for an error above TCP and TLS.
    ///
    /// `plain` is the URL scheme for a server without TLS.
    package static func text(_ error: any Error, plain: String) -> String? {
        switch error {
        case let error as NIOConnectionError: text(error)
        case let error as IOError: text(of: error.errnoCode)
        case ChannelError.connectTimeout: "no answer in time"
        case is ChannelError: "the server closed the connection"
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "its certificate is for another host; use the name that is in it"
        case let error as NIOSSLError: text(error, plain)
        default: nil
        }
    }

    private static func text(_ error: NIOSSLError, _ plain: String) -> String {
        guard case .handshakeFailed(let reason) = error else { return "the server closed the connection" }
        let words = "\(reason)"
        if words.contains("CERTIFICATE_VERIFY_FAILED") {
            return "its certificate is not trusted; is it expired, or does the file with trusted roots lack its issuer?"
        }
        guard words.contains("WRONG_VERSION_NUMBER") else { return "the TLS handshake failed" }
        return "the server does not speak TLS; use \(plain)"
    }

    private static func text(_ error: NIOConnectionError) -> String {
        // A name with several addresses fails once for each; "refused" says more than "no route".
        let errors = error.connectionErrors.map(\.error)
        let refusal = errors.first { ($0 as? IOError)?.errnoCode == ECONNREFUSED }
        return (refusal ?? errors.first).flatMap { text($0, plain: "") } ?? "the host name cannot be resolved"
    }

    private static func text(of code: CInt) -> String {
        switch code {
        case ECONNREFUSED: "connection refused"
        case ECONNRESET, EPIPE: "connection reset"
        case ETIMEDOUT: "timed out"
        case EHOSTUNREACH, ENETUNREACH: "no route to the host"
        case EACCES, EPERM: "permission denied"
        case EADDRNOTAVAIL: "no local address for it"
        case EMFILE, ENFILE: "too many open files"
        default: "system error \(code)"
        }
    }
}
