/// Of several addresses of a TURN server's name, libnice uses the first one only, over UDP.
///
/// `turn_server_copy` in `component.c` of 0.1.21 forgets the port, so the other addresses have port 0
/// (https://gitlab.freedesktop.org/libnice/libnice/-/blob/0.1.21/agent/component.c). The first address of `localhost` is `::1`, and most machines gather on IPv4
/// there. Other names would have to be looked up before gathering begins, which would delay each call.
enum LostTurnPort: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    /// The server by the addresses of this machine that are of a family in use, if its name is `localhost` (RFC 6761 section 6.3); else by its name.
    static func urls(of server: IceServerURL, on addresses: [String]) -> [IceServerURL] {
        guard isNeeded, server.host.lowercased() == "localhost" else { return [server] }
        let hasV6 = addresses.contains { $0.contains(":") }
        let hasV4 = addresses.contains { !$0.contains(":") }
        return [hasV4 ? "127.0.0.1" : nil, hasV6 ? "::1" : nil].compactMap(\.self).map(server.moved(to:))
    }
}
