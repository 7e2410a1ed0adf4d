internal import Glibc
internal import NIOCore

/// Describes in a few words why a server cannot listen.
package enum ListenFailure {
    /// The text for the error of an attempt to bind a socket.
    package static func text(_ error: any Error) -> String {
        switch error {
        case let error as IOError: text(of: error.errnoCode)
        case is SocketAddressError, is SocketAddressError.UnknownHost: "the host name cannot be resolved"
        default: "\(error)"
        }
    }

    private static func text(of code: CInt) -> String {
        switch code {
        case EADDRINUSE: "the port is in use"
        case EACCES, EPERM: "permission denied (ports below 1024 need a privilege)"
        case EADDRNOTAVAIL: "the address is not one of this machine"
        case EMFILE, ENFILE: "too many open files"
        default: "system error \(code)"
        }
    }
}
