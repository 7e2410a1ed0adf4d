import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The end of pipelines and of their elements") struct PipelineTests {
        init() throws { try GStreamerLibrary.initialize() }

        @Test("A pipeline stops although an element that was just added refuses to leave NULL")
        func stops() throws {
            let pipeline = try Pipeline(name: "stopped", timeBase: .ownStart)
            defer { pipeline.stop() }
            let media = try Element(launch: "audiotestsrc is-live=true ! queue ! fakesink", description: "media")
            pipeline.bin.add(media)
            try pipeline.bin.setState(.playing)
            let late = try Element(launch: "dtlsenc", description: "late")
            pipeline.bin.add(late)
            #expect(throws: MediaError.self, "it needs its connection") { try late.setState(.ready) }
            #expect(throws: MediaError.self, "so the others keep their state, too") { try pipeline.bin.setState(.null) }
            #expect(!media.isIdle)
            pipeline.stop()
            #expect(pipeline.isStopped && media.isIdle && late.isIdle)
        }

        @Test("An element that is removed while its bin changes its state stays in NULL")
        func removed() async throws {
            for round in 0..<500 {
                let pipeline = try Pipeline(name: "removed", timeBase: .ownStart)
                defer { pipeline.stop() }
                let child = try Element(launch: "audiotestsrc is-live=true ! queue ! fakesink", description: "child")
                pipeline.bin.add(child)
                try pipeline.bin.setState(.ready)
                let hasBegun = Shared(false)
                let starting = Task.detached {
                    hasBegun.update { $0 = true }
                    try pipeline.bin.setState(.playing)
                }
                while !hasBegun.value { await Task.yield() }
                // Each round a little later, from before the first element to after the last.
                let due = ClockReading.now + .microseconds(round % 100 * 4)
                while ClockReading.now < due {}
                pipeline.bin.remove(child)
                let isIdle = child.isIdle
                try await starting.value
                #expect(isIdle && child.isIdle, "in round \(round)")
            }
        }
    }
}
