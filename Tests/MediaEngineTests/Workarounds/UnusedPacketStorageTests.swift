import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Packets that are kept for FEC that nobody asked for") struct UnusedPacketStorageTests {
        @Test(
            "UnusedPacketStorage: webrtcbin keeps each received packet; without that the jitter buffer is its only owner",
            arguments: [false, true])
        func owners(isFixed: Bool) async throws {
            let video = "videotestsrc is-live=true ! vp8enc deadline=1 ! rtpvp8pay pt=96"
            let (caller, callee) = (try RawPeer(video), try RawPeer(video))
            // How many other owners the latest packet has when it reaches the jitter buffer.
            let owners = Shared<[Int]>([])
            let connection = callee.webrtc.connect("deep-element-added") { arguments in
                guard let element = arguments.element(2) else { return }
                do throws(MediaError) {
                    if isFixed, element.factoryName == "rtpstorage" { try UnusedPacketStorage.disable(element) }
                    guard element.factoryName == "rtpjitterbuffer" else { return }
                    try element.pad("sink").probe { packet in
                        owners.update { $0.append(packet.reference.references - 2) }
                        return .pass
                    }
                } catch { Issue.record(error) }
            }
            try await RawPeer.negotiate(caller, callee)
            defer { withExtendedLifetime(connection) {} }
            try await eventually("packets at the peer") { callee.packets.value > 50 }
            #expect(owners.value.allSatisfy { $0 == (isFixed ? 0 : 1) }, "\(owners.value)")
        }

        @Test("A call keeps no packets, also after the latency of its jitter buffers has changed")
        func call() async throws {
            try await withCall { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                for end in [call.caller, call.callee] {
                    let bin = try #require(await end.peer.media?.pipeline.bin)
                    let storage = try #require(bin.child(madeBy: "rtpstorage"))
                    #expect(storage.get("size-time")?.intValue == 0)
                    try #require(bin.child(madeBy: "webrtcbin")).set("latency", "123")
                    #expect(storage.get("size-time")?.intValue == 0)
                }
            }
        }
    }
}
