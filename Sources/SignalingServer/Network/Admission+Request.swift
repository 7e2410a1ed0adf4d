internal import NIOCore
internal import NIOHTTP1

extension IPAddress {
    /// The IP address of a socket; nil for other kinds of address.
    init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        self.init(text)
    }
}

extension Admission.Request {
    /// Header fields that only proxies write.
    private static var marks: [String] {
        ["Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP"]
    }

    init(_ head: HTTPRequestHead, on channel: any Channel) {
        self.init(
            peer: IPAddress(channel.remoteAddress), local: IPAddress(channel.localAddress),
            host: head.headers["Host"].first, origin: head.headers["Origin"].first,
            hops: head.headers[canonicalForm: "X-Forwarded-For"].map(String.init),
            isForwarded: Self.marks.contains { head.headers.contains(name: $0) })
    }
}
