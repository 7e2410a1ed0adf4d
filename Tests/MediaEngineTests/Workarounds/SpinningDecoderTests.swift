import Foundation
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Threads of decoders") struct SpinningDecoderTests {
        @Test(
            "SpinningDecoder: vp8dec has a thread for each core, or only the one that brings the frames",
            .enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1, "one core"), arguments: [false, true])
        func threads(isFixed: Bool) async throws {
            try GStreamerLibrary.initialize()
            let pipeline = try Pipeline(name: "decoder", timeBase: .ownStart)
            defer { pipeline.stop() }
            if isFixed { SpinningDecoder.avoid(in: pipeline.bin) }
            // Threads of libvpx have the name of the thread that made them.
            let name = "spinning\(isFixed)"
            let media = try Element(
                launch: """
                    videotestsrc name=\(name) is-live=true ! video/x-raw,width=320,height=240 ! vp8enc deadline=1 token-partitions=2 \
                    ! decodebin ! fakesink name=sink async=false
                    """, description: "media", hasGhostPads: false)
            let decoded = Shared(0)
            try #require(media.child("sink")).pad("sink").observe { _, _ in decoded.update { $0 += 1 } }
            pipeline.bin.add(media)
            try pipeline.bin.setState(.playing)
            try await eventually("decoded frames") { decoded.value > 5 }
            let threads = ProcessCensus.now().threads.filter { $0.hasPrefix(name) }
            if isFixed { #expect(threads.count == 1) } else { #expect(threads.count > 1) }
        }

        @Test("A file of VP8 is decoded with one thread")
        func file() async throws {
            let folder = try PipelineFolder()
            try await Clip.makeVP8(folder.file("clip.mkv"))
            let source = try PipelineCatalog().description("file", role: .avSource)
            let bin = try source.instantiate(["choice": folder.file("clip.mkv")])
            let pipeline = try Pipeline(name: "file", timeBase: .ownStart)
            defer { pipeline.stop() }
            pipeline.bin.add(bin)
            try pipeline.bin.setState(.playing)
            try await eventually("a decoder with one thread") {
                bin.child(madeBy: "vp8dec")?.get("threads")?.intValue == 1
            }
        }

        @Test("A call decodes VP8 with one thread")
        func call() async throws {
            try await withCall { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                let bin = try #require(await call.callee.peer.media?.pipeline.bin)
                #expect(try #require(bin.child(madeBy: "vp8dec")).get("threads")?.intValue == 1)
            }
        }
    }
}
