import Testing

@testable import MediaEngine

extension CallEnd {
    /// The keys that the other end pressed.
    fileprivate var keys: String {
        String(events.compactMap { if case .dtmf(let digit) = $0 { digit.key } else { nil } })
    }
}

/// The telephone events that an end sends, as they leave it.
private final class KeyPackets: Sendable {
    struct End: Sendable {
        let payloadType: Int
        let timestamp: UInt32
        let duration: Int
    }

    private let seen = Shared<[End]>([])

    init(leaving end: CallEnd) async throws {
        let pad = try #require(await end.peer.media?.sending[.audio]?.webrtcSink)
        pad.probe { [seen] packet in
            let end = packet.withBytes { Self.end($0) }
            if let end = end.flatMap({ $0 }) {
                seen.update { if $0.last?.timestamp != end.timestamp { $0.append(end) } }
            }
            return .pass
        }
    }

    /// The last packet of an event says that it is, three times.
    private static func end(_ bytes: UnsafeRawBufferPointer) -> End? {
        guard bytes.count == 16, bytes[1] & 0x7F == 101, bytes[13] & 0x80 != 0 else { return nil }
        return End(
            payloadType: Int(bytes[1] & 0x7F), timestamp: (4..<8).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[$1]) },
            duration: Int(bytes[14]) << 8 | Int(bytes[15]))
    }

    /// One for each key.
    var ends: [End] { seen.value }
}

extension RealPipelines {
    @Suite("Keys of a telephone") struct DtmfTests {
        @Test("Keys arrive in order at both ends, and the sound goes on", arguments: [Codec.opus, .pcmu, .g722, .pcma])
        func keys(codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.audioCodecs = [codec]
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    await end.peer.setReceiving(true)
                    try await end.waitForTone()
                }
                #expect(try await call.caller.peer.sendDTMF("159*"))
                #expect(try await call.caller.peer.sendDTMF("#d"))
                #expect(try await call.callee.peer.sendDTMF("00A"))
                try await eventually("all keys; so far \(call.callee.keys) and \(call.caller.keys)") {
                    call.callee.keys.count >= 6 && call.caller.keys.count >= 3
                }
                #expect(call.callee.keys == "159*#D")
                #expect(call.caller.keys == "00A")
                let heard = try await DecodedWatch(call.callee, .audio)
                #expect(try await abs(heard.steadyTone() - 440) < 5)
                for end in call.ends { #expect(end.failure == nil) }
            }
        }

        @Test("Keys that are pressed while the sound is muted and before the verification arrive, too")
        func early() async throws {
            var options = LoopbackCall.Options()
            options.opensSendGates = false
            try await withCall(options) { call in
                await call.callee.peer.setReceiving(true)
                try await call.negotiate()
                #expect(try await call.caller.peer.sendDTMF("7"))
                try await eventually("the key") { call.callee.keys == "7" }
            }
        }

        /// The same without a payload type.
        private static func without(_ payloadType: Int, _ description: SessionDescription) -> SessionDescription {
            let lines = description.sdp.components(of: "\r\n").filter {
                !$0.hasPrefix("a=rtpmap:\(payloadType) ") && !$0.hasPrefix("a=fmtp:\(payloadType) ")
            }
            let media = lines.map { $0.hasPrefix("m=") ? $0.replacing(" \(payloadType)", by: "") : $0 }
            return SessionDescription(kind: description.kind, sdp: media.joined(separator: "\r\n"))
        }

        @Test("Beside Opus keys of 8000 Hz are offered and answered, too, and arrive while the sound goes on")
        func eightKilohertz() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            let seen = Shared<[SessionDescription]>([])
            // As Firefox, which knows no others.
            options.rewrite = { description in
                seen.update { $0.append(description) }
                return Self.without(110, description)
            }
            try await withCall(options) { call in
                try await call.connect()
                let lines = seen.value.map { $0.sdp.components(of: "\r\n") }
                for line in ["a=rtpmap:110 telephone-event/48000", "a=rtpmap:101 telephone-event/8000"] {
                    #expect(lines[0].contains(line))
                }
                #expect(lines[1].contains("a=rtpmap:101 telephone-event/8000") && lines[1].contains("a=fmtp:101 0-15"))
                #expect(lines[1].contains { $0.hasPrefix("m=audio") && $0.hasSuffix(" 111 101") })
                let heard = try await DecodedWatch(call.callee, .audio)
                #expect(try await abs(heard.steadyTone() - 440) < 5)
                for end in call.ends { await end.peer.setReceiving(true) }
                let packets = try await KeyPackets(leaving: call.caller)
                #expect(try await call.caller.peer.sendDTMF("159*"))
                #expect(try await call.callee.peer.sendDTMF("#0"))
                try await eventually(
                    "all keys; so far \(call.callee.keys) and \(call.caller.keys), sent \(packets.ends)"
                ) {
                    call.callee.keys == "159*" && call.caller.keys == "#0" && packets.ends.count == 4
                }
                // 250 ms and up to two packets of 40 ms more, in units of 8000 Hz; from key to key by the sound's clock.
                let ends = packets.ends
                #expect(
                    ends.allSatisfy { (2_000...2_640).contains($0.duration) && $0.payloadType == 101 },
                    "\(ends)")
                let steps = zip(ends, ends.dropFirst()).map { $1.timestamp &- $0.timestamp }
                #expect(steps.allSatisfy { (16_800...22_000).contains($0) }, "350 ms and more of 48000 Hz: \(steps)")
                #expect(try await abs(heard.steadyTone() - 440) < 5)
                for end in call.ends { #expect(end.failure == nil) }
            }
        }

        @Test("An end that answers takes the events of its codec's clock, else those of 8000 Hz, and no others")
        func answers() async throws {
            for (kept, expected) in [([110, 101], "110"), ([101], "101"), ([110], "110"), ([], nil)]
                as [([Int], String?)]
            {
                let offering = try await TestEngine.peer(kinds: [.audio])
                var offer = try await offering.createOffer()
                for number in [110, 101] where !kept.contains(number) { offer = Self.without(number, offer) }
                let answering = try await TestEngine.peer(kinds: [.audio])
                let answer = try await answering.createAnswer(to: offer)
                let line = try #require(answer.sdp.components(of: "\r\n").first { $0.hasPrefix("m=audio") })
                #expect(line.hasSuffix(expected.map { " 111 \($0)" } ?? " 111"))
                try await offering.setAnswer(answer)
                for peer in [offering, answering] {
                    #expect(try await peer.sendDTMF("1") == (expected != nil))
                    await peer.close()
                }
            }
        }

        @Test("Durations are written in the clock of the events")
        func durations() {
            let format = TelephoneEvent(payloadType: 101, clockRate: 8_000)
            for (before, after) in [(12_000, 2_000), (0, 0), (65_535, 10_922)] {
                var packet = [UInt8](repeating: 1, count: 14) + [UInt8(before >> 8), UInt8(before & 0xFF)]
                packet.withUnsafeMutableBytes { format.rescaleDuration(in: $0, from: 48_000) }
                #expect(Int(packet[14]) << 8 | Int(packet[15]) == after)
                #expect(packet[..<14].allSatisfy { $0 == 1 })
            }
            var short: [UInt8] = [1, 2, 3]
            short.withUnsafeMutableBytes { format.rescaleDuration(in: $0, from: 48_000) }
            #expect(short == [1, 2, 3])
        }

        @Test("A peer without telephone events is told apart, and so is what is no key")
        func refused() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.rewrite = { description in
                Self.without(101, Self.without(110, description))
            }
            try await withCall(options) { call in
                #expect(try await !call.caller.peer.sendDTMF("1"))
                try await call.connect()
                for end in call.ends {
                    #expect(try await !end.peer.sendDTMF("1"))
                    try await end.waitForTone()
                    for text in ["x", "1 2", "E", String(repeating: "1", count: 65)] {
                        await #expect(throws: MediaError.self) { try await end.peer.sendDTMF(text) }
                    }
                }
            }
        }

        @Test("Browsers' telephone events are taken with the clock of the codec, where they have it")
        func browsers() async throws {
            for (sdp, expected) in [
                (SDPSamples.chromium, "110 telephone-event/48000"), (SDPSamples.firefox, "101 telephone-event/8000"),
            ] {
                let peer = try await TestEngine.peer()
                let answer = try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: sdp))
                let lines = answer.sdp.components(of: "\r\n").filter { $0.contains("telephone-event") }
                #expect(lines == ["a=rtpmap:\(expected)"])
                #expect(try await peer.sendDTMF("1"))
                await peer.close()
            }
        }
    }
}
