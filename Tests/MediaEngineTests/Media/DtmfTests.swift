import Testing

@testable import MediaEngine

extension CallEnd {
    /// The DTMF digits that this end received.
    fileprivate var digits: String {
        String(events.compactMap { if case .dtmf(let digit) = $0 { digit.character } else { nil } })
    }
}

/// The telephone events in the packets that an end sends.
private final class KeyPackets: Sendable {
    struct End: Sendable {
        let payloadType: Int
        let timestamp: UInt32
        let duration: Int
        /// How many audio packets were sent since the previous digit.
        var audioBefore = 0
    }

    private let seen = Shared<[End]>([])
    private let audio = Shared(0)

    init(leaving end: CallEnd) async throws {
        let pad = try #require(await end.peer.media?.sending[.audio]?.webrtcSink)
        pad.probe { [seen, audio] packet in
            if packet.reference.withBytes({ Self.payloadType($0) }) == 111 { audio.update { $0 += 1 } }
            let end = packet.reference.withBytes { Self.end($0) }
            if var end = end.flatMap({ $0 }), seen.value.last?.timestamp != end.timestamp {
                end.audioBefore = audio.value
                audio.update { $0 = 0 }
                seen.update { $0.append(end) }
            }
            return .pass
        }
    }

    private static func payloadType(_ bytes: UnsafeRawBufferPointer) -> Int? {
        bytes.count > 1 ? Int(bytes[1] & 0x7F) : nil
    }

    /// The last packet of an event has the end bit.
    private static func end(_ bytes: UnsafeRawBufferPointer) -> End? {
        guard bytes.count == 16, payloadType(bytes) == 101, bytes[13] & 0x80 != 0 else { return nil }
        return End(
            payloadType: 101, timestamp: (4..<8).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[$1]) },
            duration: Int(bytes[14]) << 8 | Int(bytes[15]))
    }

    /// One entry for each digit.
    var ends: [End] { seen.value }
}

extension RealPipelines {
    @Suite("DTMF") struct DtmfTests {
        @Test("DTMF digits arrive in order at both ends, and the audio continues", .namesCases)
        func digits() async { await together([Codec.opus, .pcmu, .g722, .pcma]) { try await digits(codec: $0) } }

        private func digits(codec: Codec) async throws {
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
                try await eventually("all digits; so far \(call.callee.digits) and \(call.caller.digits)") {
                    call.callee.digits.count >= 6 && call.caller.digits.count >= 3
                }
                #expect(call.callee.digits == "159*#D")
                #expect(call.caller.digits == "00A")
                let heard = try await DecodedWatch(call.callee, .audio)
                #expect(try await abs(heard.steadyTone() - 440) < 5)
                for end in call.ends { #expect(end.failure == nil) }
            }
        }

        @Test("DTMF digits arrive, too, if they are sent before verification and while audio is off")
        func early() async throws {
            var options = LoopbackCall.Options()
            options.opensSendGates = false
            try await withCall(options) { call in
                await call.callee.peer.setReceiving(true)
                try await call.negotiate()
                #expect(try await call.caller.peer.sendDTMF("7"))
                try await eventually("the digit") { call.callee.digits == "7" }
            }
        }

        /// The same description without this payload type.
        private static func without(_ payloadType: Int, _ description: SessionDescription) -> SessionDescription {
            let lines = description.sdp.components(of: "\r\n").filter {
                !$0.hasPrefix("a=rtpmap:\(payloadType) ") && !$0.hasPrefix("a=fmtp:\(payloadType) ")
            }
            let media = lines.map { $0.hasPrefix("m=") ? $0.replacing(" \(payloadType)", by: "") : $0 }
            return SessionDescription(kind: description.kind, sdp: media.joined(separator: "\r\n"))
        }

        @Test("With Opus, telephone events of 8000 Hz are negotiated, too, and arrive while the audio continues")
        func eightKilohertz() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            let seen = Shared<[SessionDescription]>([])
            // Like Firefox, which supports only 8000 Hz.
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
                    "all digits; so far \(call.callee.digits) and \(call.caller.digits), sent \(packets.ends)"
                ) {
                    call.callee.digits == "159*" && call.caller.digits == "#0" && packets.ends.count == 4
                }
                // Durations: 250 ms and up to two packets of 40 ms more, in units of 8000 Hz. Steps from digit to digit: the audio's clock.
                let ends = packets.ends
                #expect(
                    ends.allSatisfy { (2_000...2_640).contains($0.duration) && $0.payloadType == 101 },
                    "\(ends)")
                let steps = zip(ends, ends.dropFirst()).map { $1.timestamp &- $0.timestamp }
                #expect(steps.allSatisfy { (16_800...22_000).contains($0) }, "350 ms and more of 48000 Hz: \(steps)")
                // 120 ms in packets of 20 ms. The first packet may begin before the digit ends.
                #expect(ends.dropFirst().allSatisfy { (3...6).contains($0.audioBefore) }, "\(ends)")
                #expect(try await abs(heard.steadyTone() - 440) < 5)
                for end in call.ends { #expect(end.failure == nil) }
            }
        }

        @Test("An answer takes telephone events at its codec's clock rate, else at 8000 Hz, and no others")
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

        @Test("Durations are converted to the clock rate of the telephone events")
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

        @Test("Sending to a peer without telephone events returns false, and invalid digits throw")
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

        @Test("Answers to browsers take telephone events at the codec's clock rate where it is offered")
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
