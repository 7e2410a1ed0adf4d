/// When the peer sent a packet, as a header extension of the packet tells (abs-send-time).
///
/// 24 bits count units of 2^-18 s, so they begin anew every 64 s. The moment from which they count is unknown.
/// Source: https://webrtc.googlesource.com/src/+/main/docs/native-code/rtp-hdrext/abs-send-time
struct AbsoluteSendTime: Sendable {
    /// The name in `a=extmap`.
    static let extensionURI = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
    /// The id of the extension in this end's offers; an answer uses the offer's.
    static let offeredId = 5
    private static let unit = 1.0 / Double(1 << 18)

    private var last: UInt32?
    private var units = 0

    /// The bits in a packet; nil when it has none.
    static func bits(of id: UInt8, in packet: UnsafeRawBufferPointer) -> UInt32? {
        RtpHeaderExtension.value(of: id, bytes: 3, in: packet).map { place in
            packet[place..<place + 3].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// The time in s since the first packet, for packets that are at most 32 s apart.
    mutating func seconds(_ bits: UInt32) -> Double {
        // The sign of the difference is that of its 24 bits.
        let difference = Int(Int32(bitPattern: (bits &- (last ?? bits)) << 8) >> 8)
        last = bits
        units += difference
        return Double(units) * Self.unit
    }
}
