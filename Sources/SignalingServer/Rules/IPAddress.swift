/// An IP address without a zone.
///
/// An IPv4 address that is mapped into IPv6 (`::ffff:192.0.2.1`, as a dual-stack socket reports it) is the IPv4 address.
struct IPAddress: Sendable, Hashable {
    /// Four or sixteen.
    let bytes: [UInt8]

    /// Reads the numeric form; nil for everything else, such as a name.
    init?(_ text: some StringProtocol) {
        guard let bytes = text.contains(":") ? Self.v6(Substring(text)) : Self.v4(Substring(text)) else { return nil }
        let isMapped =
            bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
        self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Whether it is a loopback address: 127.0.0.0/8 or ::1.
    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// What the limits count as one client: an IPv4 address, or the /64 of an IPv6 address.
    ///
    /// A provider gives each customer a /64 or more, so one customer has more addresses than any limit.
    var site: IPAddress {
        bytes.count == 4 ? self : IPAddress(bytes: bytes.prefix(8) + Array(repeating: 0, count: 8))
    }

    private static func v4(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", maxSplits: 4, omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part -> UInt8? in
            // No leading zeros: some parsers read them as octal.
            guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), part == "0" || !part.hasPrefix("0") else {
                return nil
            }
            return UInt8(part)
        }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }

    private static func v6(_ text: Substring) -> [UInt8]? {
        guard text.utf8.count <= 45 else { return nil }
        let halves = text.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
        switch halves.count {
        case 1:
            return groups(text, mayEndInV4: true).flatMap { $0.count == 16 ? $0 : nil }
        case 2:
            guard let head = groups(halves[0], mayEndInV4: false), let tail = groups(halves[1], mayEndInV4: true),
                head.count + tail.count <= 14
            else { return nil }
            return head + Array(repeating: 0, count: 16 - head.count - tail.count) + tail
        default: return nil
        }
    }

    /// The bytes of groups separated by colons.
    private static func groups(_ text: Substring, mayEndInV4: Bool) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if mayEndInV4, index == parts.count - 1, let last = v4(part) {
                bytes += last
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }),
                    let value = UInt16(part, radix: 16)
                else { return nil }
                bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
            }
        }
        return bytes
    }
}

extension IPAddress: CustomStringConvertible {
    /// The numeric form; for IPv6 with all eight groups.
    var description: String {
        if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
    }
}
