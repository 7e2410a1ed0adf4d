import Foundation
import Testing

@testable import MediaEngine

@Suite("The level of audio in its packets") struct AudioLevelTests {
    private func level<Sample>(_ samples: [Sample], _ format: String) -> UInt8? {
        samples.withUnsafeBytes { AudioLevel.level(of: $0, format: format) }
    }

    @Test(
        "The level is that of the power in -dBov",
        arguments: [(1, 0), (0.5, 6), (0.1, 20), (0.001, 60), (0.000_03, 90), (0, 127)] as [(Double, UInt8)])
    func level(amplitude: Double, expected: UInt8) {
        // A square wave has the power of its amplitude.
        let wave = (0..<480).map { ($0 / 12).isMultiple(of: 2) ? amplitude : -amplitude }
        #expect(level(wave.map { Int16(($0 * 32_767).rounded()) }, "S16LE") == expected)
        #expect(level(wave.map(Float.init), "F32LE") == expected)
    }

    @Test("A sine has 3 dB less; samples that are no numbers, none, and half a one are silence")
    func shapes() {
        let sine = (0..<480).map { Float(sin(Double($0) * 2 * .pi / 48)) }
        #expect(level(sine, "F32LE") == 3)
        #expect(level([Float.nan, 1], "F32LE") == 127)
        #expect(level([Float.infinity], "F32LE") == 127)
        #expect(level([Float(1e-30)], "F32LE") == 127)
        #expect(level([Float(1e30)], "F32LE") == 0)
        #expect(level([UInt8](), "S16LE") == 127)
        #expect(level([UInt8(255)], "S16LE") == 127)
        #expect(level([UInt8(255)], "U8") == nil)
    }
}

extension RealPipelines {
    @Suite("The level of audio in its packets, on the wire") struct AudioLevelPacketTests {
        /// The levels in the packets of audio that reach an end; nil of a packet without one.
        private func levels(at end: CallEnd) async throws -> Shared<[UInt8?]> {
            let levels = Shared<[UInt8?]>([])
            let source = try #require(await end.peer.media?.ice.webrtc.source)
            try source.pad("src").read { packet in
                guard packet.count > 12, packet[1] & 0x7f == 111 else { return }
                levels.update { $0.append(Self.level(in: packet)) }
            }
            return levels
        }

        /// RFC 3550 section 5.3.1, RFC 8285 section 4.2 and RFC 6464 section 3.
        private static func level(in packet: UnsafeRawBufferPointer) -> UInt8? {
            let start = 12 + Int(packet[0] & 0x0f) * 4
            guard packet[0] & 0x10 != 0, packet.count > start + 5, packet[start] == 0xbe, packet[start + 1] == 0xde,
                packet[start + 4] == UInt8(AudioLevel.offeredId) << 4
            else { return nil }
            return packet[start + 5]
        }

        private func options(taken: String?) -> LoopbackCall.Options {
            var options = LoopbackCall.Options()
            options.configure = { $0.tracks[.audio]?.sendsLevel = true }
            // A call's own end takes no level, as a server does.
            options.rewrite = { description in
                guard description.kind == .answer, let taken else { return description }
                let parts = description.sdp.components(of: "m=video")
                return SessionDescription(
                    kind: .answer,
                    sdp: parts[0] + "a=extmap:\(taken) \(AudioLevel.extensionURI)\r\n" + "m=video" + parts[1])
            }
            return options
        }

        @Test(
            "A server that takes the level gets it, and silence while the audio is muted",
            arguments: ["4", "4/recvonly"])
        func taken(id: String) async throws {
            try await withCall(options(taken: id)) { call in
                try await call.negotiate()
                let levels = try await levels(at: call.callee)
                try await eventually("packets with the level of a tone") {
                    levels.value.suffix(20).count { $0.map { (1...40).contains($0) } ?? false } == 20
                }
                await call.caller.send(.blank)
                try await eventually("packets with the level of silence") {
                    levels.value.suffix(20).allSatisfy { $0 == AudioLevel.silence }
                }
                #expect(!levels.value.contains(nil))
            }
        }

        @Test(
            "Who does not take the level gets none, nor does one that answers with another number or direction",
            arguments: [nil, "5", "4/sendonly", "4/inactive"] as [String?])
        func notTaken(id: String?) async throws {
            try await withCall(options(taken: id)) { call in
                try await call.negotiate()
                let levels = try await levels(at: call.callee)
                try await eventually("packets") { levels.value.count > 20 }
                #expect(levels.value.allSatisfy { $0 == nil })
            }
        }

        @Test("The level is offered for audio only, and only when it is to be sent")
        func offered() async throws {
            try await withCall(options(taken: nil)) { call in
                let offer = try await call.caller.peer.createOffer().sdp.components(of: "m=video")
                #expect(offer[0].contains("a=extmap:4 \(AudioLevel.extensionURI)\r\n"))
                #expect(!offer[1].contains(AudioLevel.extensionURI))
            }
            try await withCall { call in
                let offer = try await call.caller.peer.createOffer()
                #expect(!offer.sdp.contains(AudioLevel.extensionURI))
            }
        }
    }
}
