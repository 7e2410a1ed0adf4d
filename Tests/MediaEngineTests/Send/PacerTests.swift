import Foundation
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The pacer") struct PacerTests {
        /// Frames of five packets, from a real payloader.
        private final class Bench: Sendable {
            let pipeline: Pipeline
            let pacer = Pacer()
            let (frames, packets, drops) = (Shared(0), Shared(0), Shared(0))

            init(rate: Int = 30, width: Int = 64, isPathKnown: Bool = true) throws {
                try GStreamerLibrary.initialize()
                pipeline = try Pipeline(name: "pacer", timeBase: .ownStart)
                let bin = try Element(
                    launch: """
                        videotestsrc is-live=true pattern=snow ! video/x-raw,width=\(width),height=48,framerate=\(rate)/1 \
                        ! rtpvrawpay name=payloader mtu=1000 ! fakesink name=sink sync=false async=false
                        """, description: "pacer", hasGhostPads: false)
                pipeline.bin.add(bin)
                let payloader = try #require(bin.child("payloader"))
                if !isPathKnown { pacer.awaitPath() }
                pacer.count(try payloader.pad("sink"))
                try payloader.pad("sink").probe { [frames] _ in
                    frames.update { $0 += 1 }
                    return .pass
                }
                try pacer.pace(payloader.pad("src")) { [drops] in drops.update { $0 += 1 } }
                try #require(bin.child("sink")).pad("sink").probe { [packets] _ in
                    packets.update { $0 += 1 }
                    return .pass
                }
                try pipeline.bin.setState(.playing)
            }

            deinit {
                pacer.discard()
                pipeline.stop()
            }
        }

        @Test(
            "A path that takes everything gets everything; a narrow one one packet after the other, and nothing is lost"
        )
        func order() async throws {
            let bench = try Bench()
            try await eventually("packets") { bench.packets.value >= 50 }
            bench.pacer.set(bitrate: 2_000_000)
            let before = bench.packets.value
            try await eventually("paced packets") { bench.packets.value >= before + 30 }
            #expect(bench.drops.value == 0)
        }

        @Test("What waits when it is discarded does not pass, and the next frame does")
        func discard() async throws {
            let bench = try Bench()
            try await eventually("packets") { bench.packets.value > 0 }
            bench.pacer.set(bitrate: 20_000)
            let before = bench.packets.value
            // Half a second for each frame.
            try await eventually("a frame that waits") { bench.packets.value >= before + 2 }
            bench.pacer.discard()
            bench.pacer.set(bitrate: nil)
            try await eventually("packets that were dropped, and new ones") {
                bench.drops.value > 0 && bench.packets.value > before + 20
            }
        }

        @Test("Of a large first frame ten packets leave, then single ones; all when the path is known")
        func firstFrame() async throws {
            let bench = try Bench(width: 512, isPathKnown: false)
            try await eventually("a packet that waits") { bench.pacer.isWaiting && bench.packets.value >= 11 }
            #expect(bench.frames.value == 1 && bench.packets.value < 17 && bench.drops.value == 0)
            bench.pacer.notePath()
            try await eventually("more frames") { bench.frames.value >= 5 }
            #expect(bench.packets.value >= 4 * 36 && bench.drops.value == 0)
        }

        @Test("The first frame waits for a second at most")
        func unknownPath() {
            let pacer = Pacer()
            pacer.awaitPath()
            let begin = ContinuousClock.now
            for _ in 0..<40 { #expect(pacer.admits(1_200)) }
            #expect(.milliseconds(900)...(.seconds(5)) ~= ContinuousClock.now - begin)
        }

        @Test("All that follows is dropped, until the frames have another size")
        func discardAll() async throws {
            let bench = try Bench()
            try await eventually("packets") { bench.packets.value > 0 }
            bench.pacer.discardAll()
            let (frames, drops) = (bench.frames.value, bench.drops.value)
            try await eventually("dropped frames") {
                bench.frames.value > frames + 5 && bench.drops.value > drops + 5
            }
            bench.pacer.endDiscarding()
            let packets = bench.packets.value
            try await eventually("packets again") { bench.packets.value > packets + 20 }
            bench.pacer.discardAll()
            let later = bench.packets.value
            try await eventually("packets after a second") { bench.packets.value > later + 20 }
        }

        @Test("A slow rate leaves no debt for a faster one, and many discards make none faster")
        func debt() {
            let pacer = Pacer()
            for _ in 0..<100 { pacer.discard() }
            pacer.set(bitrate: 1_000)
            #expect(pacer.admits(1_200))
            // It would be due in ten seconds.
            let begin = ContinuousClock.now
            #expect(pacer.admits(1_200))
            #expect(.milliseconds(200)...(.seconds(5)) ~= ContinuousClock.now - begin)
            pacer.set(bitrate: nil)
            pacer.set(bitrate: 1_000_000)
            #expect(pacer.admits(100))
        }

        @Test("What waits leaves sooner when the path takes more", arguments: [nil, 10_000_000])
        func sooner(bitrate: Double?) async throws {
            let pacer = Pacer()
            pacer.set(bitrate: 1_000)
            #expect(pacer.admits(1_500))
            // Due in 250 ms, which is the longest wait.
            let passed = Shared<Duration?>(nil)
            Thread.detachNewThread {
                let begin = ContinuousClock.now
                if pacer.admits(1_500) { passed.set(.now - begin) }
            }
            try await eventually("a packet that waits") { pacer.isWaiting || passed.value != nil }
            pacer.set(bitrate: bitrate)
            try await eventually("the packet") { passed.value != nil }
            #expect(!pacer.isWaiting)
            let waited = try #require(passed.value)
            #expect(waited < .milliseconds(220), "\(waited)")
        }
    }
}
