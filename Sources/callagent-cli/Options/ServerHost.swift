internal import CallAgent
internal import Foundation
internal import LocalNetwork

/// The host in the URL of a server.
enum ServerHost {
    /// The host without a port, empty if there is none.
    ///
    /// Of several nodes (`mqtt://a,b`) it is the first one on another machine.
    static func of(_ url: String) -> String {
        let hosts = SignalingURL.nodes(of: url).compactMap { URLComponents(string: $0)?.host }
        return hosts.first { !LocalAddresses.isLoopback($0) } ?? hosts.first ?? ""
    }
}
