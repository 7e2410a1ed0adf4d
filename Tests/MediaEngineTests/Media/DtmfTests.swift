import Testing

@testable import MediaEngine

extension CallEnd {
    /// The keys that the other end pressed.
    fileprivate var keys: String {
        String(events.compactMap { if case .dtmf(let digit) = $0 { digit.key } else { nil } })
    }
}

extension RealPipelines {
    @Suite("Keys of a telephone") struct DtmfTests {
        @Test("Keys arrive in order at both ends, and the sound goes on", arguments: [Codec.opus, .pcmu])
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

        @Test("A peer without telephone events is told apart, and so is what is no key")
        func refused() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.rewrite = { description in
                let lines = description.sdp.replacing(" 111 110", by: " 111").components(of: "\r\n")
                    .filter { !$0.hasPrefix("a=rtpmap:110") && !$0.hasPrefix("a=fmtp:110") }
                return SessionDescription(kind: description.kind, sdp: lines.joined(separator: "\r\n"))
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

        @Test("Browsers' telephone events are taken with the clock of the codec")
        func browsers() async throws {
            for (sdp, expected) in [(SDPSamples.chromium, true), (SDPSamples.firefox, false)] {
                let peer = try await TestEngine.peer()
                let answer = try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: sdp))
                #expect(answer.sdp.contains("a=rtpmap:110 telephone-event/48000") == expected)
                #expect(try await peer.sendDTMF("1") == expected)
                await peer.close()
            }
        }
    }
}
