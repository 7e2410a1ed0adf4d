import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("A gate in a pipeline") struct GateTests {
        @Test("A closed gate passes nothing; an open one passes all in order, beginning with the latest")
        func opensWithTheLatest() async throws {
            let bench = try GateBench()
            defer { bench.stop() }
            try await eventually("buffers at the gate") { bench.arrived.value.count >= 10 }
            #expect(bench.passed.value.isEmpty && bench.gate.passed == 0 && bench.firsts.value == 0)

            #expect(bench.gate.open() == 0)
            // The latest buffer went through inside `open`, on this thread.
            #expect(bench.gate.passed >= 1 && bench.firsts.value == 1)
            try await eventually("buffers behind the gate") { bench.passed.value.count >= 10 }
            let passed = bench.passed.value
            #expect(bench.arrived.value.firstIndex(of: passed[0]).map { $0 >= 9 } == true)
            #expect(zip(passed, passed.dropFirst()).allSatisfy { $0 < $1 })
            let arrived = Set(bench.arrived.value.filter { $0 >= passed[0] && $0 <= passed[passed.count - 1] })
            #expect(Set(passed) == arrived, "none is missing after the first")
        }

        @Test("A gate that does not keep the latest buffer passes a new one first")
        func forgetful() async throws {
            let bench = try GateBench()
            defer { bench.stop() }
            bench.gate.close(keepingLatest: false)
            try await eventually("buffers at the gate") { bench.arrived.value.count >= 5 }
            #expect(bench.gate.open() == 0)
            #expect(bench.passed.value.count <= 1 && bench.gate.passed <= 1)
            let known = bench.arrived.value.count
            try await eventually("buffers behind the gate") { bench.passed.value.count >= 5 }
            #expect(bench.arrived.value.firstIndex(of: bench.passed.value[0]).map { $0 >= known - 1 } == true)
        }

        @Test("A gate that is closed again blocks, and opens with a newer buffer")
        func closesAgain() async throws {
            let bench = try GateBench()
            defer { bench.stop() }
            try await eventually("a buffer at the gate") { !bench.arrived.value.isEmpty }
            bench.gate.open()
            try await eventually("buffers behind the gate") { bench.passed.value.count >= 5 }
            bench.gate.close()
            // One buffer may be on its way through while the gate closes.
            let shut = bench.arrived.value.count
            try await eventually("more at the gate") { bench.arrived.value.count >= shut + 2 }
            let passed = bench.passed.value
            let count = bench.gate.passed
            try await eventually("still more at the gate") { bench.arrived.value.count >= shut + 12 }
            #expect(bench.passed.value == passed && bench.gate.passed == count)

            #expect(bench.gate.open() == count)
            try await eventually("a buffer after opening again") { bench.passed.value.count > passed.count }
            let all = bench.passed.value
            #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
            let gap = all[passed.count] - all[passed.count - 1]
            #expect(gap > (all[1] - all[0]) * 5, "what came while it was closed is gone")
            #expect(bench.firsts.value == 1)
        }

        @Test("Opening an open gate changes nothing, and its count continues")
        func openingTwice() async throws {
            let bench = try GateBench()
            defer { bench.stop() }
            bench.gate.open()
            try await eventually("buffers behind the gate") { bench.passed.value.count >= 5 }
            #expect(bench.gate.open() >= 5)
            try await eventually("more behind the gate") { bench.passed.value.count >= 15 }
            let passed = bench.passed.value
            #expect(zip(passed, passed.dropFirst()).allSatisfy { $0 < $1 })
            #expect(bench.firsts.value == 1)
        }

        @Test("A gate forgets the latest buffer when the format changes")
        func newFormat() async throws {
            try GStreamerLibrary.initialize()
            let pipeline = try Pipeline(name: "gate", timeBase: .ownStart)
            defer { pipeline.stop() }
            let bin = try Element(
                launch: """
                    videotestsrc is-live=true ! capsfilter name=format caps=video/x-raw,width=320,height=240 \
                    ! fakesink name=sink sync=false async=false
                    """, description: "gate")
            pipeline.bin.add(bin)
            let pad = try #require(bin.child("sink")).pad("sink")
            let arrived = Shared(0)
            pad.probe { _ in
                arrived.update { $0 += 1 }
                return .pass
            }
            let gate = Gate(at: pad) { _ in }
            // Between the new format and the first frame in it there is nothing that may pass.
            let passed = Shared<Int?>(nil)
            pad.onEvent { event in
                guard case .caps(let caps) = event, caps.fields?["width"]?.intValue == 160 else { return }
                gate.open()
                passed.update { $0 = gate.passed }
            }
            try pipeline.bin.setState(.playing)
            try await eventually("frames at the gate") { arrived.value >= 3 }
            try bin.child("format")?.set("caps", "video/x-raw,width=160,height=120")
            try await eventually("the new format") { passed.value != nil }
            #expect(passed.value == 0)
            try await eventually("new frames pass") { gate.passed > 2 }
        }

        @Test("Opening and closing from several threads keeps the order")
        func manyHands() async throws {
            let bench = try GateBench()
            defer { bench.stop() }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<200 {
                            bench.gate.open()
                            await Task.yield()
                            bench.gate.close()
                        }
                    }
                }
            }
            bench.gate.open()
            let count = bench.passed.value.count
            try await eventually("buffers behind the gate") { bench.passed.value.count >= count + 5 }
            let passed = bench.passed.value
            #expect(zip(passed, passed.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    /// A gate that gets a slow ramp: every buffer begins with a higher sample than the one before.
    private struct GateBench {
        let gate: Gate
        let arrived = Shared<[Int32]>([])
        let passed = Shared<[Int32]>([])
        let firsts = Shared(0)
        private let pipeline: Pipeline

        init() throws {
            try GStreamerLibrary.initialize()
            pipeline = try Pipeline(name: "gate", timeBase: .ownStart)
            let bin = try Element(
                launch: """
                    audiotestsrc is-live=true wave=saw freq=0.01 volume=1 samplesperbuffer=480 \
                    ! audio/x-raw,format=S32LE,rate=48000,channels=1 ! fakesink name=sink sync=false async=false
                    """, description: "gate")
            pipeline.bin.add(bin)
            let pad = try #require(bin.child("sink")).pad("sink")
            // Probes run in the order in which they were added. A probe does not see what an earlier one dropped.
            pad.probe { [arrived] buffer in Self.note(buffer.reference, in: arrived) }
            gate = Gate(at: pad) { [firsts] _ in firsts.update { $0 += 1 } }
            pad.probe { [passed] buffer in Self.note(buffer.reference, in: passed) }
            try pipeline.bin.setState(.playing)
        }

        private static func note(_ buffer: BufferRef, in log: Shared<[Int32]>) -> ProbeVerdict {
            if let sample = buffer.withBytes({ $0.loadUnaligned(as: Int32.self) }) { log.update { $0.append(sample) } }
            return .pass
        }

        func stop() { pipeline.stop() }
    }
}
