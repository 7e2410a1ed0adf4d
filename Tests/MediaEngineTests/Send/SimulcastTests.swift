import Testing

@testable import MediaEngine

@Suite("How the versions of a video share a rate and a description") struct SimulcastRulesTests {
    @Test("A quarter of the pixels gets 35 % of the rate of the largest version, and all together what there is")
    func rates() {
        let rates = SimulcastRates(scales: [2, 4])
        #expect(rates.weights.map { ($0 * 1_000).rounded() } == [1_000, 354, 125])
        #expect(abs(rates.portions.reduce(0, +) - 1) < 1e-9)
        #expect(zip(rates.weights, rates.portions).allSatisfy { abs($1 - $0 * rates.portions[0]) < 1e-9 })
        #expect(SimulcastRates(scales: []).portions == [1])
        #expect(SimulcastRates.scales([4, 2, 2, 0, -1, 1, 9, .max]) == [2, 4])
        #expect(SimulcastRates.scales([8, 7, 6, 5]) == [5, 6, 7])
    }

    @Test("A description names the smallest version first, each with its repeated packets if there are any")
    func description() {
        func lines(_ text: String) -> [String] {
            var local = LocalDescription(SessionDescription(kind: .offer, sdp: text))
            let versions = [
                SimulcastEncoding.Sources(ssrc: 5, retransmission: 50),
                SimulcastEncoding.Sources(ssrc: 3, retransmission: 30),
            ]
            local.addSimulcast(versions, of: 7, toMLine: 0)
            local.addSimulcast(versions, of: 7, toMLine: 1)
            return local.description.sdp.split(separator: "\r\n").map(String.init)
        }
        let media = "m=video 9 UDP/TLS/RTP/SAVPF 96\r\n"
        let head = "v=0\r\n\(media)"
        #expect(
            lines(head + "a=ssrc-group:FID 7 70\r\na=ssrc:7 cname:x\r\na=ssrc:70 cname:x\r\n").suffix(7) == [
                "a=ssrc-group:SIM 3 5 7", "a=ssrc-group:FID 5 50", "a=ssrc:5 cname:x", "a=ssrc:50 cname:x",
                "a=ssrc-group:FID 3 30", "a=ssrc:3 cname:x", "a=ssrc:30 cname:x",
            ])
        #expect(
            lines(head + "a=ssrc:7 cname:x\r\n").suffix(3) == [
                "a=ssrc-group:SIM 3 5 7", "a=ssrc:5 cname:x", "a=ssrc:3 cname:x",
            ])
    }
}

extension RealPipelines {
    @Suite("Several versions of one video") struct SimulcastTests {
        /// Counts the packets that reach an end, by stream and payload type.
        private struct Stream: Hashable {
            let ssrc: UInt32
            let payloadType: UInt8
        }

        /// `unnumbered` counts those without any header extension.
        private static func packets(
            at end: CallEnd, unnumbered: Shared<Int> = Shared(0)
        ) async throws -> Shared<[Stream: Int]> {
            let counts = Shared<[Stream: Int]>([:])
            let source = try #require(await end.peer.media?.ice.webrtc.source)
            try source.pad("src").read { packet in
                // RTP, not RTCP on the same port (RFC 5761 section 4).
                guard packet.count > 12, packet[0] >> 6 == 2, packet[1] & 0x7f >= 96 else { return }
                if packet[0] & 0x10 == 0 { unnumbered.update { $0 += 1 } }
                let ssrc = UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
                counts.update { $0[Stream(ssrc: ssrc, payloadType: packet[1] & 0x7f), default: 0] += 1 }
            }
            return counts
        }

        private static func options(_ codecs: [Codec] = [.vp8]) -> LoopbackCall.Options {
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.videoCodecs = codecs
            options.configure = { $0.tracks[.video]?.simulcastScales = [2, 4] }
            return options
        }

        /// The callee has only the last of the codecs; what the caller offers is kept.
        private static func answering(_ codecs: [Codec]) -> (LoopbackCall.Options, offered: Shared<String>) {
            var options = options(codecs)
            options.configureCallee = { $0.tracks[.video]?.codecs = codecs.suffix(1) }
            let offered = Shared("")
            options.rewrite = { description in
                if description.kind == .offer { offered.set(description.sdp) }
                return description
            }
            return (options, offered)
        }

        private static func track(_ call: LoopbackCall) async throws -> SendTrack {
            try #require(await call.caller.peer.media?.sending[.video])
        }

        @Test(
            "Packets of all versions arrive on the streams that the offer names, also with another codec",
            arguments: [[Codec.vp8], [.vp8, .h264]])
        func streams(codecs: [Codec]) async throws {
            let (options, offered) = Self.answering(codecs)
            try await withCall(options) { call in
                try await call.negotiate()
                let unnumbered = Shared(0)
                let counts = try await Self.packets(at: call.callee, unnumbered: unnumbered)
                let group = try #require(
                    offered.value.split(separator: "\r\n").first { $0.hasPrefix("a=ssrc-group:SIM ") })
                let ssrcs = group.split(separator: " ").dropFirst().compactMap { UInt32($0) }
                #expect(Set(ssrcs).count == 3)
                try await eventually("packets of three streams: \(counts.value)") {
                    ssrcs.allSatisfy { ssrc in counts.value.contains { $0.key.ssrc == ssrc && $0.value > 20 } }
                }
                #expect(try await Self.track(call).ssrcs == ssrcs.reversed())
                #expect(try await Self.track(call).codec == codecs.last)
                #expect(Set(counts.value.keys.map(\.ssrc)).isSubset(of: ssrcs), "no other stream")
                let sent = try #require(await call.caller.peer.statistics().sent[.video])
                #expect([sent.width, sent.height] == [320, 180])
                #expect(sent.encodings.map(\.width) == [160, 80])
                #expect(sent.encodings.map(\.height) == [90, 46])
                #expect(sent.encodings.allSatisfy { $0.frames > 10 }, "\(sent)")
                // So the peer reports on the packets of all versions, and the rate follows the path.
                // The first packet of each may leave before its payloader has the extension.
                #expect(unnumbered.value <= 3)
                #expect(await call.caller.peer.statistics().transport.availableOutgoingBitrate != nil)
                let report = await call.caller.peer.statisticsReport()
                #expect(report.outbound.map(\.ssrc) == ssrcs.reversed())
                #expect(report.outbound.map(\.frameWidth) == [320, 160, 80])
                #expect(report.outbound.map { ($0.framesSent ?? 0) > 10 } == [true, true, true])
                let outbound = report.outbound
                #expect(outbound.allSatisfy { $0.packetsSent > 20 && $0.bytesSent > 1_000 }, "\(outbound)")
                #expect(report.transport?.bytesSent == report.outbound.map(\.bytesSent).reduce(0, +))
            }
        }

        @Test("An answer names one stream, and sends one")
        func answered() async throws {
            var options = Self.options()
            options.configure = { _ in }
            options.configureCallee = { $0.tracks[.video]?.simulcastScales = [2, 4] }
            options.rewrite = { description in
                #expect(!description.sdp.contains("a=ssrc-group:SIM"))
                return description
            }
            try await withCall(options) { call in
                try await call.negotiate()
                let counts = try await Self.packets(at: call.caller)
                try await eventually("packets") { counts.value.values.reduce(0, +) > 50 }
                #expect(counts.value.count == 1)
            }
        }

        @Test("A mute blanks all versions, and no version sends anything while nothing may be sent")
        func mute() async throws {
            try await withCall(Self.options()) { call in
                try await call.connect()
                let encodings = try #require(try await Self.track(call).simulcast?.encodings)
                // Whether each of the latest frames is black, by version.
                let frames = Shared<[Int: [Bool]]>([:])
                for (index, encoding) in encodings.enumerated() {
                    encoding.encoderSink.read { bytes in
                        let isBlack = bytes.prefix(80 * 46).allSatisfy { $0 == 16 }
                        frames.update { $0[index, default: []].append(isBlack) }
                    }
                }
                let show = { @Sendable (isBlack: Bool) in
                    frames.value.count == 2
                        && frames.value.values.allSatisfy {
                            $0.count > 10 && $0.suffix(10).allSatisfy { $0 == isBlack }
                        }
                }
                try await eventually("pictures in both") { show(false) }
                await call.caller.send(.blank)
                // From the moment that the call returns, except for a frame that the encoder has already.
                frames.set([:])
                try await eventually("black frames in both") { show(true) }
                #expect(frames.value.values.allSatisfy { $0.dropFirst().allSatisfy { $0 } })
                await call.caller.send(.live)
                try await eventually("pictures in both again") { show(false) }
                await call.caller.send(.closed)
                let counts = try await Self.packets(at: call.callee)
                func encoded() async throws -> [Int] {
                    try #require(await call.caller.peer.statistics().sent[.video]).encodings.map(\.frames)
                }
                // What the encoders had already; then some frames' time, in which nothing comes.
                var last = try await encoded()
                try await eventually("the encoders rest") {
                    defer { counts.set([:]) }
                    try await Task.sleep(for: .milliseconds(200))
                    let now = try await encoded()
                    defer { last = now }
                    return now == last && counts.value.isEmpty
                }
                await call.caller.send(.blank)
                try await eventually("frames again") {
                    try await zip(encoded(), last).allSatisfy { $0 > $1 + 10 } && counts.value.count == 3
                }
            }
        }

        @Test("The rate of the largest version is the one that is requested; the peer's limit is that of all")
        func rates() async throws {
            var options = Self.options()
            options.configureCallee = { $0.tracks[.video]?.maxReceiveKbit = 1_479 }
            // What the path takes is another limit.
            options.tuning.followsBandwidth = false
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForFrames(5)
                func targets() async throws -> [Int] {
                    let sent = try #require(await call.caller.peer.statistics().sent[.video])
                    return [sent.targetBitrate] + sent.encodings.map(\.targetBitrate)
                }
                try await call.caller.peer.setBitrate(400, of: .video)
                #expect(try await targets() == [400_000, 141_000, 50_000])
                // More than the peer takes.
                try await call.caller.peer.setBitrate(4_000, of: .video)
                let most = try await targets()
                try await call.caller.peer.setBitrate(.max, of: .video)
                #expect(try await targets() == most)
                #expect(abs(most[0] - 1_000_000) < 3_000 && abs(most.reduce(0, +) - 1_479_000) < 5_000, "\(most)")
            }
        }

        @Test(
            "Lost packets of each version are sent again, on the streams that the offer names for that",
            arguments: [[Codec.vp8], [.vp8, .h264]], [false, true])
        func repeated(codecs: [Codec], mapIsOverwritten: Bool) async throws {
            var (options, offered) = Self.answering(codecs)
            options.opensSendGates = false
            try await withCall(options) { call in
                try await call.connect()
                let overwritten = Shared(0)
                if mapIsOverwritten { try await Self.overwriteMap(of: call.caller, overwritten) }
                await call.caller.send(.live)
                let counts = try await Self.packets(at: call.callee)
                let pairs = offered.value.split(separator: "\r\n").filter { $0.hasPrefix("a=ssrc-group:FID ") }
                    .map { $0.split(separator: " ").dropFirst().compactMap { UInt32($0) } }
                try #require(pairs.count == 3 && pairs.allSatisfy { $0.count == 2 })
                let loss = try await NetworkLoss(
                    to: call.callee, every: 10, of: [try #require(codecs.last).payloadType])
                let sent = try #require(await call.caller.peer.media?.peer.retransmitted)
                let requested = try #require(await call.callee.peer.media?.peer.jitterBuffers)
                try await eventually(
                    """
                    repeated packets of all: \(loss.count) are lost, \(requested.requests) requested, \(sent.count) sent again; \
                    \(pairs) \(counts.value)
                    """
                ) {
                    pairs.allSatisfy { pair in counts.value.contains { $0.key.ssrc == pair[1] } }
                }
                let media = Set(counts.value.keys.filter { pairs.map { $0[0] }.contains($0.ssrc) }.map(\.payloadType))
                let again = Set(counts.value.keys.filter { pairs.map { $0[1] }.contains($0.ssrc) }.map(\.payloadType))
                #expect(media.count == 1 && again.count == 1 && media != again, "\(counts.value)")
                #expect(counts.value.count == 6 && loss.count > 0)
                #expect(overwritten.value == (mapIsOverwritten ? 3 : 0))
            }
        }

        /// Writes another map at the first packet of each version, as webrtcbin may at that moment.
        private static func overwriteMap(of end: CallEnd, _ count: Shared<Int>) async throws {
            let pipeline = try #require(await end.peer.media?.peer)
            let seen = Shared(Set<UInt32>())
            // Behind the probe of the connection. The pad owns the handler, which must not own its pipeline.
            try #require(pipeline.retransmissionSender).pad("sink").probe { [weak pipeline] packet in
                guard let ssrc = packet.withHead({ RtpHead($0)?.ssrc }), seen.update({ $0.insert(ssrc).inserted })
                else { return .pass }
                try? pipeline?.retransmissionSender?.set("ssrc-map", "application/x-rtp-ssrc-map")
                count.update { $0 += 1 }
                return .pass
            }
        }
    }
}
