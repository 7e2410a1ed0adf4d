import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Inputs whose stream is replaced")
    struct ReplaceableInputTests {
        init() throws { try GStreamerLibrary.initialize() }

        @Test("Streams that take each other's place at once are linked without an error, and none is stopped")
        func atOnce() async throws {
            let pipeline = try Pipeline(name: "input", timeBase: .ownStart)
            defer { pipeline.stop() }
            let sources = (0..<3).map { "fakesrc name=source\($0) sizetype=fixed sizemax=100" }.joined(separator: " ")
            let bin = try Element(
                launch: "fakesink name=sink sync=false async=false \(sources)", description: "input",
                hasGhostPads: false)
            pipeline.bin.add(bin)
            let input = ReplaceableInput(try #require(bin.child("sink")).pad("sink"))
            let pads = try (0..<3).map { try #require(bin.child("source\($0)")).pad("src") }
            let errors = Shared<[String]>([])
            pipeline.bus.watch { message in
                if case .error = message { errors.update { $0.append("\(message)") } }
            }
            let pushed = Shared([0, 0, 0])
            for (index, pad) in pads.enumerated() {
                // In front of the probe of the input, which handles the data.
                pad.onPush { pushed.update { $0[index] += 1 } }
                try input.link(pad)
            }
            try pipeline.bin.setState(.playing)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for pad in pads {
                    group.addTask { for _ in 0..<300 { try input.link(pad) } }
                }
                try await group.waitForAll()
            }
            let before = pushed.value
            try await eventually("each still pushes; \(errors.value)") {
                zip(pushed.value, before).allSatisfy { $0 > $1 + 10 }
            }
            #expect(errors.value.isEmpty)
            #expect(input.pad.peer != nil)
        }

        @Test("A failure behind an input is reported once, and stops neither its stream nor others")
        func failure() async throws {
            let pipeline = try Pipeline(name: "failure", timeBase: .ownStart)
            defer { pipeline.stop() }
            let bin = try Element(
                launch: "fakesrc name=source sizetype=fixed sizemax=100 "
                    + "identity name=failing error-after=3 ! fakesink sync=false async=false",
                description: "failure", hasGhostPads: false)
            pipeline.bin.add(bin)
            let input = ReplaceableInput(try #require(bin.child("failing")).pad("sink"))
            let source = try #require(bin.child("source")).pad("src")
            let errors = Shared<[String]>([])
            pipeline.bus.watch { message in
                if case .error = message { errors.update { $0.append("\(message)") } }
            }
            let (pushed, passed) = (Shared(0), Shared(0))
            source.onPush { pushed.update { $0 += 1 } }
            input.pad.onPush { passed.update { $0 += 1 } }
            try input.link(source)
            try pipeline.bin.setState(.playing)
            try await eventually("a failure") { !errors.value.isEmpty }
            let before = pushed.value
            try await eventually("the stream goes on") { pushed.value > before + 100 }
            #expect(errors.value.count == 1)
            #expect(passed.value < 10, "what failed gets nothing more")
        }
    }
}
