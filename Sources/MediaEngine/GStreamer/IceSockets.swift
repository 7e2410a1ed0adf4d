internal import CGStreamer

/// The UDP sockets of a libnice agent's candidates.
struct IceSockets: Sendable {
    private let agent: NiceAgent

    init(of agent: NiceAgent) { self.agent = agent }

    /// Sends a datagram from the socket bound to `source`, so that libnice receives the answer; never blocks.
    ///
    /// Under max-bundle there is one stream with one component. Does nothing when no socket is bound to `source`.
    func send(_ datagram: [UInt8], from source: IceEndpoint, to destination: IceEndpoint) {
        guard let sockets = nice_agent_get_sockets(OpaquePointer(agent.object.ref.pointer), agent.stream, 1) else {
            return
        }
        defer { g_ptr_array_unref(sockets) }
        for index in 0..<Int(sockets.pointee.len) {
            guard let entry = sockets.pointee.pdata[index] else { continue }
            let socket: UnsafeMutablePointer<GSocket> = entry.cast()
            guard g_socket_get_protocol(socket) == G_SOCKET_PROTOCOL_UDP, Self.endpoint(of: socket) == source,
                let address = g_inet_socket_address_new_from_string(destination.host, guint(destination.port))
            else { continue }
            defer { g_object_unref(address) }
            // libnice repeats a lost request.
            _ = datagram.withUnsafeBytes { bytes in
                g_socket_send_to(
                    socket, address, bytes.bindMemory(to: CChar.self).baseAddress, gsize(bytes.count), nil, nil)
            }
            return
        }
    }

    private static func endpoint(of socket: UnsafeMutablePointer<GSocket>) -> IceEndpoint? {
        guard let address = g_socket_get_local_address(socket, nil) else { return nil }
        defer { g_object_unref(address) }
        let inet = UnsafeMutableRawPointer(address).cast(to: GInetSocketAddress.self)
        guard let text = g_inet_address_to_string(g_inet_socket_address_get_address(inet)) else { return nil }
        defer { g_free(text) }
        return IceEndpoint(host: String(cString: text), port: Int(g_inet_socket_address_get_port(inet)))
    }
}

/// A numeric address and a port.
struct IceEndpoint: Sendable, Hashable {
    let host: String
    let port: Int
}
