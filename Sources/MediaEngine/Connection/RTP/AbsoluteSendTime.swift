/// When the peer sent a packet, as a header extension of the packet tells (abs-send-time).
///
/// 24 bits count units of 2^-18 s, so they begin anew every 64 s. The moment from which they count is unknown.
/// Source: https://webrtc.googlesource.com/src/+/main/docs/native-code/rtp-hdrext/abs-send-time
enum AbsoluteSendTime {
    /// The name in `a=extmap`.
    static let extensionURI = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
    /// The id of the extension in this end's offers; an answer uses the offer's.
    static let offeredId = 5

    /// The bits in a packet; nil when it has none.
    static func bits(of id: UInt8, in packet: UnsafeRawBufferPointer) -> UInt32? {
        RtpHeaderExtension.place(of: id, bytes: 3, in: packet).map { place in
            packet[place..<place + 3].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// The sender's clock, as far as its packets tell.
    struct Clock: Sendable {
        private static let unit = 1.0 / Double(1 << 18)
        private static let round = 64.0

        private var last: (bits: UInt32, arrived: Double)?
        private var time = 0.0

        /// The time in s since the first packet, of one that arrived at `now`.
        ///
        /// Whole rounds of the 24 bits are those that have passed here.
        mutating func seconds(_ bits: UInt32, at now: Double) -> Double {
            guard let last else {
                self.last = (bits, now)
                return 0
            }
            // The sign of the difference is that of its 24 bits.
            let difference = Double(Int32(bitPattern: (bits &- last.bits) << 8) >> 8) * Self.unit
            time += difference + ((now - last.arrived - difference) / Self.round).rounded() * Self.round
            self.last = (bits, now)
            return time
        }
    }
}
