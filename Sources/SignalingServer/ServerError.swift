internal import Glibc
internal import NIOCore
internal import TransportSecurity

/// Why a ``Server`` could not start.
public enum ServerError: Error, Sendable, Equatable {
    /// Another process, or another server of this process, listens on that port.
    case addressInUse(host: String, port: Int)
    /// The system refused to listen there; `text` is the reason in short.
    case cannotListen(host: String, port: Int, text: String)
    /// A field of ``ServerConfiguration`` has an unusable value.
    case invalidConfiguration(field: String, text: String)
    /// A key, a certificate or a secret cannot be used.
    case unusableFile(String, text: String)

    /// Converts the error of a failed attempt to listen.
    init(_ error: any Error, host: String, port: Int) {
        switch error {
        case let error as ServerError:
            self = error
        case let error as IOError where error.errnoCode == EADDRINUSE:
            self = .addressInUse(host: host, port: port)
        default:
            self = .cannotListen(host: host, port: port, text: ListenFailure.text(error))
        }
    }
}

extension ServerError: CustomStringConvertible {
    /// One line: the problem, its cause and what to do.
    public var description: String {
        switch self {
        case .addressInUse(let host, let port):
            "cannot listen on \(host):\(port): the port is in use; stop the other program or choose another port"
        case .cannotListen(let host, let port, let text):
            "cannot listen on \(host):\(port): \(text); choose another host or port"
        case .invalidConfiguration(let field, let text):
            "the signaling server cannot use its configuration: \(field) \(text); correct it"
        case .unusableFile(let file, let text): "the signaling server cannot use the file \(file): \(text)"
        }
    }
}
