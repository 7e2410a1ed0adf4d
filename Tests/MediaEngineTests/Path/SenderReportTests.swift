import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Sender reports") struct SenderReportTests {
        @Test("The RTP time of a sender report is that of the media that is sent at the moment")
        func times() async throws {
            try await withCall { call in
                try await call.connect()
                let session = try #require(await call.caller.peer.media?.peer.session)
                let sent = Shared<[UInt32: UInt32]>([:])
                let distances = Shared<[UInt32: [Int32]]>([:])
                try session.pad("send_rtp_src").probe { buffer in
                    _ = buffer.reference.withBytes { bytes in
                        sent.update { $0[bytes.number(at: 8)] = bytes.number(at: 4) }
                    }
                    return .pass
                }
                try session.pad("send_rtcp_src").probe { buffer in
                    _ = buffer.reference.withBytes { bytes in
                        // RFC 3550 section 6.4.1: a sender report is the first packet of its compound.
                        guard bytes.count >= 28, bytes[1] == 200, let last = sent.value[bytes.number(at: 4)] else {
                            return
                        }
                        let distance = Int32(bitPattern: bytes.number(at: 16) &- last)
                        distances.update { $0[bytes.number(at: 4), default: []].append(distance) }
                    }
                    return .pass
                }
                try await eventually("reports on both tracks", within: .seconds(20)) {
                    distances.value.count == 2 && distances.value.values.allSatisfy { $0.count >= 3 }
                }
                // Half a second of the fastest clock, which is video's.
                for distance in distances.value.values.joined() {
                    #expect(abs(distance) < 45_000, "\(distances.value)")
                }
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The number of 32 bits at an offset, in network byte order.
    fileprivate func number(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
