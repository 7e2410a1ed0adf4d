internal import Foundation
internal import LocalNetwork

/// The host in the URL of a server.
enum ServerHost {
    /// The host without a port, empty if there is none.
    ///
    /// Of several nodes (`mqtt://a,b`) it is the first one on another machine.
    static func of(_ url: String) -> String {
        guard let mark = url.range(of: "://") else { return "" }
        let authority = url[mark.upperBound...].prefix { $0 != "/" && $0 != "?" }
        let names = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let hosts = names.split(separator: ",").compactMap { node in
            URLComponents(string: "\(url[..<mark.upperBound])\(node)")?.host
        }
        return hosts.first { !LocalAddresses.isLoopback($0) } ?? hosts.first ?? ""
    }
}
