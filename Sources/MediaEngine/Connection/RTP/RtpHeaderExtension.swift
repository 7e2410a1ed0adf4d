/// The elements in the header extension of an RTP packet, in their short form (RFC 8285 section 4.2).
enum RtpHeaderExtension {
    /// Where the value begins of the element with this id and so many bytes; nil if there is none.
    static func place(of id: UInt8, bytes count: Int, in packet: UnsafeRawBufferPointer) -> Int? {
        place(of: id, in: packet).flatMap { $0.count == count ? $0.lowerBound : nil }
    }

    /// Where the value of the element with this id is; nil if there is none.
    static func place(of id: UInt8, in packet: UnsafeRawBufferPointer) -> Range<Int>? {
        guard packet.count >= 12, packet[0] & 0x10 != 0 else { return nil }
        let head = 12 + 4 * Int(packet[0] & 0x0f)
        guard packet.count >= head + 4, packet[head] == 0xbe, packet[head + 1] == 0xde else { return nil }
        let end = min(packet.count, head + 4 + 4 * (Int(packet[head + 2]) << 8 | Int(packet[head + 3])))
        var place = head + 4
        while place < end {
            let (own, length) = (packet[place] >> 4, Int(packet[place] & 0x0f) + 1)
            if own == 15 { return nil }
            if own == id { return place + 1 + length <= end ? place + 1..<place + 1 + length : nil }
            place += own == 0 ? 1 : 1 + length
        }
        return nil
    }
}
