import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Events that describe a stream again and again") struct RepeatedStreamEventsTests {
        init() throws { try GStreamerLibrary.initialize() }

        /// Counts the events behind the funnel that joins the streams, and behind the one that joins them with RTCP.
        private func countEvents(in bin: Element) throws -> (joined: Shared<Int>, sent: Shared<Int>) {
            let funnel = try #require(bin.child(madeBy: "rtpfunnel")).pad("src")
            let sender = try #require(bin.child(madeBy: "dtlssrtpenc")).pad("src")
            return (try #require(funnel.peer).countEvents(), sender.countEvents())
        }

        @Test(
            "RepeatedStreamEvents: webrtcbin repeats them whenever a packet of another stream follows; then no longer",
            arguments: [false, true])
        func bundle(isFixed: Bool) async throws {
            let video = "videotestsrc is-live=true ! vp8enc deadline=1 ! rtpvp8pay pt=96"
            let audio = "audiotestsrc is-live=true samplesperbuffer=960 ! opusenc ! rtpopuspay pt=97"
            let (caller, callee) = (try RawPeer(video, audio), try RawPeer(video, audio))
            for peer in [caller, callee] { try peer.webrtc.set("bundle-policy", "max-bundle") }
            let connection = caller.webrtc.connect("deep-element-added") { arguments in
                guard isFixed, let element = arguments.element(2) else { return }
                do throws(MediaError) {
                    if element.factoryName == "rtpfunnel" { try RepeatedStreamEvents.end(behindBundle: element) }
                    if element.factoryName == "funnel" { try RepeatedStreamEvents.end(in: element) }
                } catch { Issue.record(error) }
            }
            try await RawPeer.negotiate(caller, callee)
            defer { withExtendedLifetime(connection) {} }
            let (joined, sent) = try countEvents(in: caller.webrtc)
            try await eventually("packets at the peer") { callee.packets.value > 200 }
            // Ten describe the streams once.
            #expect((joined.value < 20) == isFixed, "\(joined.value)")
            #expect((sent.value < 20) == isFixed, "\(sent.value)")
        }

        @Test("Segments that differ still pass, and the first one of each funnel", arguments: [false, true])
        func segments(differ: Bool) async throws {
            let pipeline = try Pipeline(name: "segments", timeBase: .ownStart)
            defer { pipeline.stop() }
            let bin = try Element(
                launch: "funnel name=funnel ! fakesink name=sink sync=false async=false "
                    + "audiotestsrc name=one is-live=true ! funnel. audiotestsrc name=other is-live=true ! funnel.",
                description: "segments", hasGhostPads: false)
            pipeline.bin.add(bin)
            if differ { try #require(bin.child("one")).pad("src").offsetRunningTime(by: 3_600_000_000_000) }
            let sink = try #require(bin.child("sink")).pad("sink")
            let (segments, times) = (sink.countEvents(named: "segment"), sink.collectTimes())
            try #require(bin.child("funnel")).pad("src").endRepeatedEvents()
            try pipeline.bin.setState(.playing)
            try await eventually("data of both") { times.value.count > 40 }
            #expect(differ ? segments.value > 10 : segments.value == 1, "\(segments.value)")
            let late = times.value.count { $0.running ?? 0 >= 3_600_000_000_000 }
            #expect(differ ? late > 10 : late == 0, "each buffer has the segment of its stream")
        }

        @Test("Media that is presented in running time keeps its time, and has a plain segment")
        func runningTime() async throws {
            let pipeline = try Pipeline(name: "running-time", timeBase: .ownStart)
            defer { pipeline.stop() }
            let bin = try Element(
                launch: "videotestsrc name=source num-buffers=5 ! identity ! fakesink name=sink sync=false async=false",
                description: "running-time", hasGhostPads: false)
            pipeline.bin.add(bin)
            let (source, sink) = (
                try #require(bin.child("source")).pad("src"), try #require(bin.child("sink")).pad("sink")
            )
            source.offsetRunningTime(by: 3_600_000_000_000)
            let before = try #require(sink.peer).collectTimes()
            sink.presentInRunningTime()
            let after = sink.collectTimes()
            try pipeline.bin.setState(.playing)
            try await eventually("all frames") { after.value.count == 5 }
            #expect(before.value.map(\.running) == after.value.map(\.running))
            #expect(after.value.allSatisfy { $0.presented == $0.running && $0.presented >= 3_600_000_000_000 })
            #expect(before.value.allSatisfy { $0.presented < 1_000_000_000 })
        }

        @Test("A call describes its streams once, and sounds and looks right")
        func call() async throws {
            try await withCall { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                let bin = try #require(await call.caller.peer.media?.pipeline.bin)
                let (joined, sent) = try countEvents(in: bin)
                try await call.callee.waitForFrames(70)
                #expect(joined.value < 10 && sent.value < 10, "\(joined.value), \(sent.value)")
            }
        }
    }
}
