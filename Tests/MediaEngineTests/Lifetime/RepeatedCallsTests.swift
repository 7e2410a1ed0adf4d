import Logging
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Many calls") struct RepeatedCallsTests {
        @Test("Fifteen calls in a row leave no thread and no open file behind")
        func nothingIsLeft() async throws {
            var options = LoopbackCall.Options()
            options.callerVideo = .test(.ball, format: VideoFormat(width: 160, height: 90))
            options.calleeVideo = options.callerVideo
            var baseline = ProcessCensus.now()
            for round in 1...15 {
                try await withCall(options) { call in
                    try await call.connect()
                    for end in call.ends { try await end.waitForFrames(2) }
                }
                if round == 5 { baseline = ProcessCensus.now() }
            }
            // A pool may keep an idle thread for a while, but after fifteen calls no more of them than after five.
            try await eventually("as few as \(baseline); now \(ProcessCensus.now())", within: .seconds(25)) {
                let now = ProcessCensus.now()
                return now.threads.count <= baseline.threads.count && now.files.count <= baseline.files.count
            }
        }

        // GLib copies its table of names every 2,048 names, and never frees one. From 1.26 on GStreamer makes fewer of them.
        @Test("A call leaves a few names in GLib's table, and none for each stream of its statistics")
        func names() async throws {
            var options = LoopbackCall.Options()
            options.callerVideo = .test(.ball, format: VideoFormat(width: 160, height: 90))
            options.calleeVideo = options.callerVideo
            var counts: [Int] = []
            // The first one loads elements.
            for _ in 0...3 {
                try await withCall(options) { call in
                    try await call.connect()
                    for end in call.ends {
                        try await end.waitForFrames(2)
                        try await eventually("the statistics of both streams") {
                            await end.peer.statisticsReport().inbound.count == 2
                        }
                    }
                }
                counts.append(NameTable.count())
            }
            // The SSRCs of the callee's three streams at the caller, one name each for what is sent again, and the one that counts.
            #expect(counts[3] - counts[0] <= 3 * 6, "\(counts)")
        }

        @Test("The census counts the threads and files of a call")
        func callsAreCounted() async throws {
            let before = ProcessCensus.now()
            try await withCall { call in
                try await call.connect()
                let now = ProcessCensus.now()
                #expect(now.files.count > before.files.count)
                #expect(now.threads.contains { $0.hasPrefix("webrtcbin") })
            }
        }

        @Test("Simultaneous calls do not disturb each other")
        func severalAtOnce() async throws {
            var options = LoopbackCall.Options()
            options.callerVideo = .test(.ball, format: VideoFormat(width: 160, height: 90, framesPerSecond: 15))
            options.calleeVideo = options.callerVideo
            let calls = [
                try await LoopbackCall(options), try await LoopbackCall(options), try await LoopbackCall(options),
            ]
            for call in calls { try await call.negotiate() }
            for end in calls.flatMap(\.ends) { try await end.waitForFrames(10) }
            // One ends. The others, which share its captures, continue.
            await calls[0].close()
            for end in calls[1...].flatMap(\.ends) {
                let decoded = try await end.received(.video).decoded
                try await end.waitForFrames(decoded + 10)
            }
            for call in calls { await call.close() }
        }
    }

    @Suite("The warm-up") struct WarmUpTests {
        @Test("It succeeds, runs once, and serves every engine of the process")
        func once() async throws {
            let first = try await TestEngine.shared()
            #expect(await first.warmedUp() == nil)
            let folder = try PipelineFolder(["vp8-encoder.launch": "identity ! fakesink"])
            let second = try await Engine.start(pipelineFolder: folder.path)
            #expect(await second.warmedUp() == nil, "one of its own would fail")
            let logger = Logger(label: "test")
            #expect(await WarmUp().run(catalog: try PipelineCatalog(folder: folder.path), logger: logger) != nil)
        }
    }
}
