/// A STUN message (RFC 8489 section 5) as it arrived.
struct StunMessage {
    /// Whether it is a binding request.
    let isRequest: Bool
    private var attributes: [Int: [UInt8]] = [:]

    /// Nil for other packets.
    init?(_ packet: [UInt8]) {
        func number(at position: Int) -> Int { Int(packet[position]) << 8 | Int(packet[position + 1]) }
        guard packet.count >= 20, Array(packet[4..<8]) == [0x21, 0x12, 0xa4, 0x42], number(at: 2) == packet.count - 20
        else { return nil }
        isRequest = number(at: 0) == 0x0001
        var position = 20
        while position + 4 <= packet.count {
            let length = number(at: position + 2)
            attributes[number(at: position)] = Array(packet[(position + 4)..<min(packet.count, position + 4 + length)])
            position += 4 + (length + 3) / 4 * 4
        }
    }

    /// The value of the attribute of a type (RFC 8489 section 14); nil if it has none.
    subscript(type: Int) -> [UInt8]? { attributes[type] }
}
