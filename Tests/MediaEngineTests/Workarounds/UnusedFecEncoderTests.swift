import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The encoders of ULPFEC and RED that nobody asked for") struct UnusedFecEncoderTests {
        /// What passes a pad: packets, and how often some were pushed together.
        private struct Traffic {
            var pushes = 0
            var packets = 0
        }

        private func watch(_ pad: Pad) -> Shared<Traffic> {
            let traffic = Shared(Traffic())
            pad.onPush { traffic.update { $0.pushes += 1 } }
            pad.probe { _ in
                traffic.update { $0.packets += 1 }
                return .pass
            }
            return traffic
        }

        @Test(
            "UnusedFecEncoder: webrtcbin takes the packets of a frame apart; without the encoders they stay together",
            arguments: [false, true])
        func lists(isFixed: Bool) async throws {
            // Frames of many packets.
            let video = "videotestsrc is-live=true pattern=snow ! vp8enc deadline=1 ! rtpvp8pay pt=96 mtu=400"
            let (caller, callee) = (try RawPeer(video), try RawPeer(video))
            let connection = caller.webrtc.connect("deep-element-added") { arguments in
                guard isFixed, let element = arguments.element(2), element.factoryName == "rtpulpfecenc",
                    let bin = element.parent
                else { return }
                do throws(MediaError) {
                    try UnusedFecEncoder.bypass(bin) { Issue.record($0) }
                } catch { Issue.record(error) }
            }
            try await RawPeer.negotiate(caller, callee)
            defer { withExtendedLifetime(connection) {} }
            let session = try #require(caller.webrtc.child(madeBy: "rtpsession"))
            let traffic = watch(try session.pad("send_rtp_sink"))
            try await eventually("packets at the peer") { callee.packets.value > 100 }
            try await eventually("packets of frames") { traffic.value.packets > 100 }
            #expect((traffic.value.pushes * 2 < traffic.value.packets) == isFixed, "\(traffic.value)")
            #expect((caller.webrtc.child(madeBy: "rtpulpfecenc") == nil) == isFixed)
        }

        @Test("A call has no such encoder at either end")
        func call() async throws {
            try await withCall { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                for end in [call.caller, call.callee] {
                    let bin = try #require(await end.peer.media?.pipeline.bin)
                    #expect(bin.child(madeBy: "rtpulpfecenc") == nil && bin.child(madeBy: "rtpredenc") == nil)
                    #expect(bin.child(madeBy: "rtpfunnel") != nil)
                }
            }
        }
    }
}
