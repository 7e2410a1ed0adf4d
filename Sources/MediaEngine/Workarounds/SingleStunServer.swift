internal import Dispatch
internal import Foundation
internal import Synchronization

/// libnice asks one STUN server, and when that one is dead it learns nothing.
///
/// `NiceAgent` has one property `stun-server` (`stun_server_ip` in `agent.c`, the same in 0.1.22; see
/// https://github.com/centricular/gstwebrtc-demos/issues/117). So of several it is told a port of this machine instead. What it asks there is
/// sent on to all of them at once, from the very socket that it came from, so the answers come to libnice itself, which knows them by the
/// transaction and not by who sent them: the first one gives the candidate, the others say nothing new. Repetition, the end of the search and
/// keeping a NAT's port open are libnice's as before.
///
/// The port listens on loopback; what comes from anybody but a socket of this connection, or is no question of STUN's, goes nowhere.
final class SingleStunServer: Workaround, Sendable {
    static let mendedIn: GStreamerVersion? = nil

    private struct State {
        /// The servers whose addresses are known by now.
        var servers: [IceEndpoint] = []
        /// What each socket asked last.
        var questions: [IceEndpoint: [UInt8]] = [:]
        /// Nil when nobody is asked any more.
        var sockets: IceSockets?
    }
    private let state = Mutex(State())
    // Dispatch's sources may be used on any thread; its overlay for Linux does not say so.
    nonisolated(unsafe) private let source: (any DispatchSourceRead)?
    private let queue = DispatchQueue(label: "stun")
    /// As `webrtcbin` has its property `stun-server`; nil without any.
    let uri: String?

    /// The most sockets that are kept in mind, and the most addresses of one name that are asked.
    private static let maximumSockets = 64
    private static let maximumAddresses = 4

    /// Opens the port when there are several servers.
    ///
    /// `addresses` are those that candidates are gathered on: with an IPv4 one among them the servers are asked by IPv4, else by IPv6.
    /// - Throws: ``MediaError/invalidIceServer(url:text:)`` when there is no port left.
    init(_ servers: [IceServerURL], addresses: [String], sockets: IceSockets) throws(MediaError) {
        guard servers.count > 1 else {
            (uri, source) = (servers.first?.stunServer, nil)
            return
        }
        let isV4 = addresses.contains { !$0.contains(":") }
        guard let (handle, port) = Self.listen(isV4: isV4) else {
            throw .invalidIceServer(url: servers[0].text, text: "no port for the way to it")
        }
        uri = isV4 ? "stun://127.0.0.1:\(port)" : "stun://[::1]:\(port)"
        let source = DispatchSource.makeReadSource(fileDescriptor: handle, queue: queue)
        self.source = source
        state.withLock { $0.sockets = sockets }
        source.setEventHandler { [weak self] in
            while let (question, asker) = Self.receive(handle) { self?.ask(question, for: asker) }
        }
        source.setCancelHandler { Glibc.close(handle) }
        source.activate()
        for server in servers { find(server, isV4: isV4) }
    }

    deinit { close() }

    /// Asks nobody any more; idempotent.
    func close() {
        state.withLock { $0 = State() }
        source?.cancel()
    }

    /// Looks a name up, which may block, beside the others.
    private func find(_ server: IceServerURL, isV4: Bool) {
        DispatchQueue.global().async { [weak self] in
            let found = Self.addresses(of: server.host, isV4: isV4).prefix(Self.maximumAddresses)
            let endpoints = found.map { IceEndpoint(host: $0, port: server.port) }
            guard let self else { return }
            queue.async { self.use(endpoints) }
        }
    }

    /// What was asked before its address was known is asked now.
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

    /// RFC 8489 section 5: the type 1, and a length that counts what follows the header.
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

    /// Blocks for as long as looking a name up takes.
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
