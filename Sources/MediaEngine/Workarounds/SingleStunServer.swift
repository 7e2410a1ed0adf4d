internal import Dispatch
internal import Foundation
internal import Synchronization

/// libnice queries only one STUN server; if that one is down, it finds no server-reflexive candidate.
///
/// `NiceAgent` has one property `stun-server` (`stun_server_ip` in `agent.c`, the same in 0.1.22; see
/// https://github.com/centricular/gstwebrtc-demos/issues/117). So with several servers it gets a local port instead. Each request to that port is
/// sent to all servers at once, from the socket that it came from, so the answers reach libnice directly. libnice matches them by transaction, not by
/// sender: the first one gives the candidate, the others add nothing. libnice still does retransmission, the end of the search and NAT keep-alive
/// itself.
///
/// The port listens on loopback. It ignores senders other than a socket of this connection, and everything but STUN requests.
final class SingleStunServer: Workaround, Sendable {
    static let fixedIn: GStreamerVersion? = nil

    private struct State {
        /// The servers whose addresses are known.
        var servers: [IceEndpoint] = []
        /// The last request of each socket.
        var questions: [IceEndpoint: [UInt8]] = [:]
        /// Nil when it no longer sends requests.
        var sockets: IceSockets?
    }
    private let state = Mutex(State())
    /// Reads the port; nil without one.
    private let requests = Mutex<SocketWatch?>(nil)
    /// The server for libnice; nil without servers.
    let server: IceEndpoint?

    /// The most sockets that are remembered, and the most addresses per name that are asked.
    private static let maximumSockets = 64
    private static let maximumAddresses = 4

    /// Opens the port when there are several servers.
    ///
    /// `addresses` are the addresses for gathering candidates: if one is IPv4, the servers are asked by IPv4, else by IPv6.
    /// - Throws: ``MediaError/invalidIceServer(url:text:)`` when no port is free.
    init(_ servers: [IceServerURL], addresses: [String], sockets: IceSockets) throws(MediaError) {
        guard servers.count > 1 else {
            server = servers.first.map { IceEndpoint(host: $0.host, port: $0.port) }
            return
        }
        let isV4 = addresses.contains { !$0.contains(":") }
        guard let (handle, port) = Self.listen(isV4: isV4) else {
            throw .invalidIceServer(url: servers[0].text, text: "no free local port for it")
        }
        server = IceEndpoint(host: isV4 ? "127.0.0.1" : "::1", port: port)
        state.withLock { $0.sockets = sockets }
        let watch = SocketWatch(handle) { [weak self] in
            // No more at once: the thread serves all connections.
            for _ in 0..<Self.maximumSockets {
                guard let (question, asker) = Self.receive(handle) else { return }
                self?.ask(question, for: asker)
            }
        }
        requests.withLock { $0 = watch }
        for server in servers { find(server, isV4: isV4) }
    }

    deinit { close() }

    /// Stops sending requests; idempotent.
    func close() {
        state.withLock { $0 = State() }
        requests.withLock { $0?.cancel() }
    }

    /// Looks up a name, which may block, in parallel with the others.
    private func find(_ server: IceServerURL, isV4: Bool) {
        DispatchQueue.global().async { [weak self] in
            let found = Self.addresses(of: server.host, isV4: isV4).prefix(Self.maximumAddresses)
            let endpoints = found.map { IceEndpoint(host: $0, port: server.port) }
            IceThread.shared.run { [weak self] in self?.use(endpoints) }
        }
    }

    /// Sends the requests that arrived before the address was known.
    private func use(_ servers: [IceEndpoint]) {
        let (sockets, questions) = state.withLock { state in
            if state.sockets != nil { state.servers += servers }
            return (state.sockets, state.questions)
        }
        for (asker, question) in questions {
            for server in servers { sockets?.send(question, from: asker, to: server) }
        }
    }

    private func ask(_ question: [UInt8], for asker: IceEndpoint) {
        guard Self.isBindingRequest(question) else { return }
        let (sockets, servers) = state.withLock { state in
            if state.questions.count < Self.maximumSockets || state.questions[asker] != nil {
                state.questions[asker] = question
            }
            return (state.sockets, state.servers)
        }
        for server in servers { sockets?.send(question, from: asker, to: server) }
    }

    /// RFC 8489 section 5: the type 1, and a length that excludes the header.
    static func isBindingRequest(_ bytes: [UInt8]) -> Bool {
        (20...548).contains(bytes.count) && bytes[0] == 0 && bytes[1] == 1
            && Int(bytes[2]) << 8 | Int(bytes[3]) == bytes.count - 20
    }
}

/// The system's sockets.
extension SingleStunServer {
    private static func listen(isV4: Bool) -> (handle: Int32, port: Int)? {
        let handle = socket(isV4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue) | O_NONBLOCK | O_CLOEXEC, 0)
        guard handle >= 0 else { return nil }
        var address = sockaddr_storage()
        if isV4 {
            withUnsafeMutableBytes(of: &address) { bytes in
                bytes.storeBytes(
                    of: sockaddr_in(
                        sin_family: sa_family_t(AF_INET), sin_port: 0,
                        sin_addr: in_addr(s_addr: inet_addr("127.0.0.1")),
                        sin_zero: (0, 0, 0, 0, 0, 0, 0, 0)), as: sockaddr_in.self)
            }
        } else {
            withUnsafeMutableBytes(of: &address) { bytes in
                bytes.storeBytes(
                    of: sockaddr_in6(
                        sin6_family: sa_family_t(AF_INET6), sin6_port: 0, sin6_flowinfo: 0, sin6_addr: in6addr_loopback,
                        sin6_scope_id: 0), as: sockaddr_in6.self)
            }
        }
        var length = socklen_t(isV4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(handle, $0, length) == 0 && getsockname(handle, $0, &length) == 0
            }
        }
        guard isBound, let endpoint = endpoint(of: address, length) else {
            Glibc.close(handle)
            return nil
        }
        return (handle, endpoint.port)
    }

    private static func receive(_ handle: Int32) -> (datagram: [UInt8], from: IceEndpoint)? {
        var datagram = [UInt8](repeating: 0, count: 1_500)
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let count = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(handle, &datagram, datagram.count, 0, $0, &length)
            }
        }
        guard count >= 0, let from = endpoint(of: address, length) else { return nil }
        return (Array(datagram.prefix(count)), from)
    }

    private static func endpoint(of address: sockaddr_storage, _ length: socklen_t) -> IceEndpoint? {
        var address = address
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { endpoint(of: $0, length) }
        }
    }

    private static func endpoint(of address: UnsafePointer<sockaddr>, _ length: socklen_t) -> IceEndpoint? {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: 32)
        let flags = NI_NUMERICHOST | NI_NUMERICSERV
        guard
            getnameinfo(address, length, &host, socklen_t(host.count), &port, socklen_t(port.count), flags) == 0,
            let number = Int(text(port))
        else { return nil }
        return IceEndpoint(host: text(host), port: number)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Blocks until the name is looked up.
    private static func addresses(of host: String, isV4: Bool) -> [String] {
        var hints = addrinfo()
        hints.ai_family = isV4 ? AF_INET : AF_INET6
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        return sequence(first: first) { $0?.pointee.ai_next }.compactMap { entry in
            entry.flatMap { endpoint(of: $0.pointee.ai_addr, $0.pointee.ai_addrlen)?.host }
        }
    }
}
