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

        /// Two live sources that feed a `funnel`, and how many buffers each has pushed.
        private func funnel(
            _ change: (_ funnel: Element, _ first: Pad) throws -> Void
        ) throws -> (pipeline: Pipeline, sink: Pad, pushed: Shared<[Int]>) {
            let pipeline = try Pipeline(name: "segments", timeBase: .ownStart)
            let bin = try Element(
                launch: "funnel name=funnel ! fakesink name=sink sync=false async=false "
                    + "audiotestsrc name=source0 is-live=true ! funnel. audiotestsrc name=source1 is-live=true ! funnel.",
                description: "segments", hasGhostPads: false)
            pipeline.bin.add(bin)
            let pads = try (0..<2).map { try #require(bin.child("source\($0)")).pad("src") }
            let pushed = Shared([0, 0])
            for (index, pad) in pads.enumerated() { pad.onPush { pushed.update { $0[index] += 1 } } }
            try change(try #require(bin.child("funnel")), pads[0])
            return (pipeline, try #require(bin.child("sink")).pad("sink"), pushed)
        }

        private static let hour: UInt64 = 3_600_000_000_000

        @Test("Equal segments pass once", arguments: [false, true])
        func equalSegments(inFunnel: Bool) async throws {
            let (pipeline, sink, pushed) = try funnel { funnel, _ in
                if inFunnel {
                    try RepeatedStreamEvents.end(in: funnel)
                } else {
                    try funnel.pad("src").endNeedlessEvents()
                }
            }
            defer { pipeline.stop() }
            let segments = sink.countEvents(named: "segment")
            try pipeline.bin.setState(.playing)
            try await eventually("data of both") { pushed.value.allSatisfy { $0 > 20 } }
            #expect(segments.value == 1)
        }

        @Test("Segments that differ still pass, so each buffer keeps the time of its stream")
        func differentSegments() async throws {
            let (pipeline, sink, pushed) = try funnel { funnel, first in
                first.offsetRunningTime(by: Self.hour)
                try funnel.pad("src").endNeedlessEvents()
            }
            defer { pipeline.stop() }
            let (segments, times) = (sink.countEvents(named: "segment"), sink.collectTimes())
            try pipeline.bin.setState(.playing)
            try await eventually("data of both in turn") { segments.value > 10 }
            let late = times.value.count { $0.running ?? 0 >= Self.hour }
            #expect(late > 0 && late <= pushed.value[0] && times.value.count - late > 0)
        }

        @Test(
            "Media that is presented in running time keeps its time when its segment changes, and has a plain segment")
        func runningTime() async throws {
            let pipeline = try Pipeline(name: "running-time", timeBase: .ownStart)
            defer { pipeline.stop() }
            let bin = try Element(
                launch: "videotestsrc name=source is-live=true ! identity ! fakesink name=sink sync=false async=false",
                description: "running-time", hasGhostPads: false)
            pipeline.bin.add(bin)
            let source = try #require(bin.child("source")).pad("src")
            let sink = try #require(bin.child("sink")).pad("sink")
            source.offsetRunningTime(by: Self.hour)
            let before = try #require(sink.peer).collectTimes()
            sink.presentInRunningTime()
            let after = sink.collectTimes()
            try pipeline.bin.setState(.playing)
            try await eventually("frames of the first segment") { after.value.count > 5 }
            source.offsetRunningTime(by: 2 * Self.hour)
            try await eventually("a frame of the next one") {
                after.value.last.map { $0.presented > 2 * Self.hour } == true
            }
            let times = after.value
            #expect(before.value.prefix(times.count).map(\.running) == times.map(\.running))
            #expect(times.allSatisfy { $0.presented == $0.running && $0.presented >= Self.hour })
            #expect(before.value.allSatisfy { $0.presented < Self.hour })
        }

        @Test("A call describes its streams once")
        func call() async throws {
            try await withCall { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                let bin = try #require(await call.caller.peer.media?.pipeline.bin)
                let (joined, sent) = try countEvents(in: bin)
                try await call.callee.waitForMoreFrames(60)
                #expect(joined.value < 10 && sent.value < 10, "\(joined.value), \(sent.value)")
            }
        }
    }
}
