import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("A capture") struct CaptureTests {
        /// A device that is open while its file is open.
        private static let fileSource = [
            "file-audio-source.launch": """
            # value choice: source.location
            filesrc name=source blocksize=8 ! identity sleep-time=20000 ! capsfilter caps=audio/x-raw,rate=8000
            """,
            "device": String(repeating: "silence ", count: 1_000),
        ]

        @Test("A branch that joins while the capture starts gets every event from the beginning")
        func joiningAtTheStart() async throws {
            try GStreamerLibrary.initialize()
            // An event can be missed only for a short moment: one round in ten used to hit it.
            for round in 0..<100 {
                let source = try Element(launch: "audiotestsrc is-live=true ! capsfilter", description: "test")
                let calls = try Pipeline(name: "calls", timeBase: .clock)
                let (proxy, sink) = (try Element("proxysrc"), try Element("fakesink"))
                for element in [proxy, sink] { calls.bin.add(element) }
                try proxy.link(to: sink)
                try sink.set("async", "false")
                try sink.set("silent", "false")
                let messages = Shared<[String]>([])
                let connection = sink.connect("notify::last-message") { arguments in
                    guard let text = arguments.element(0)?.get("last-message")?.stringValue else { return }
                    messages.update { $0.append(text) }
                }
                try calls.bin.setState(.playing)
                let capture = try RunningCapture(SourceBin(bin: source, pads: [.audio: source.pad("src")]))
                let branch = try capture.attach(proxy, .audio(.tone()))
                try await eventually("a buffer in round \(round)") {
                    messages.value.contains { $0.hasPrefix("chain") }
                }
                let events = messages.value.prefix { !$0.hasPrefix("chain") }
                for event in ["stream-start", "caps", "segment"] {
                    #expect(events.contains { $0.contains("type: \(event) ") }, "round \(round)")
                }
                capture.detach(branch, .audio(.tone()))
                capture.pipeline.stop()
                calls.stop()
                withExtendedLifetime(connection) {}
            }
        }

        @Test("Two calls share one capture, which ends with the last call")
        func shared() async throws {
            let engine = try await TestEngine.shared()
            let source = try engine.capture(AudioSource.tone(hertz: 523))
            #expect(try engine.capture(AudioSource.tone(hertz: 523)) === source)
            #expect(try engine.capture(AudioSource.tone(hertz: 524)) !== source)
            #expect(source.isSynthetic && source.toneHz == 523 && source.kind == .audio)

            let calls = try Pipeline(name: "calls", timeBase: .clock)
            defer { calls.stop() }
            let proxies = [try Element("proxysrc"), try Element("proxysrc")]
            let counts = [Shared(0), Shared(0)]
            for (proxy, count) in zip(proxies, counts) {
                calls.bin.add(proxy)
                let sink = try Element("fakesink")
                // If a sink waited for the other sink's first buffer, the source would wait for the second branch.
                try sink.set("async", "false")
                calls.bin.add(sink)
                try proxy.link(to: sink)
                try proxy.pad("src").probe { _ in
                    count.update { $0 += 1 }
                    return .pass
                }
            }
            try calls.bin.setState(.playing)
            let first = try await source.attach(proxies[0])
            let second = try await source.attach(proxies[1])
            try await eventually("audio in both") { counts.allSatisfy { $0.value >= 5 } }
            await source.detach(first)
            let before = counts[1].value
            try await eventually("audio in the other") { counts[1].value >= before + 5 }
            await source.detach(second)
        }

        @Test("A device is open while the capture is held or a call uses it, and closed afterwards")
        func opensAndCloses() async throws {
            let folder = try PipelineFolder(Self.fileSource)
            let engine = try await Engine.start(pipelineFolder: folder.path)
            let source = try engine.capture(AudioSource(name: "file", choice: folder.file("device")))
            let isOpen = { ProcessCensus.hasOpen(folder.file("device")) }
            #expect(!isOpen())
            try await source.hold()
            #expect(isOpen())
            try await source.hold()
            await source.release()
            #expect(isOpen(), "one still holds it")

            let proxy = try Element("proxysrc")
            let branch = try await source.attach(proxy)
            await source.release()
            #expect(isOpen(), "a call uses it")
            await source.detach(branch)
            #expect(!isOpen())
            await source.release()
            try await source.hold()
            #expect(isOpen(), "one release too many does not count")
            await source.release()
            #expect(!isOpen())
        }

        @Test("A call that reads nothing does not block the others")
        func stuckCall() async throws {
            let source = try await TestEngine.shared().capture(AudioSource.tone(hertz: 526))
            let calls = try Pipeline(name: "calls", timeBase: .clock)
            defer { calls.stop() }
            let (stuck, other) = (try Element("proxysrc"), try Element("proxysrc"))
            let heard = Shared(0)
            for proxy in [stuck, other] {
                let sink = try Element("fakesink")
                try sink.set("async", "false")
                for element in [proxy, sink] { calls.bin.add(element) }
                try proxy.link(to: sink)
            }
            let block = try stuck.pad("src").block()
            try other.pad("src").probe { _ in
                heard.update { $0 += 1 }
                return .pass
            }
            try calls.bin.setState(.playing)
            let first = try await source.attach(stuck)
            let second = try await inTime("the second branch") { try await source.attach(other) }
            try await eventually("audio in the second branch") { heard.value >= 20 }
            for branch in [second, first] { try await inTime("the branch's end") { await source.detach(branch) } }
            block.remove()
        }

        @Test("A branch that cannot be made leaves nothing open")
        func failedAttach() async throws {
            let folder = try PipelineFolder(Self.fileSource)
            let engine = try await Engine.start(pipelineFolder: folder.path)
            let source = try engine.capture(AudioSource(name: "file", choice: folder.file("device")))
            let error = MediaError.unknownProperty(object: "GstIdentity", property: "proxysink")
            await #expect(throws: error) { try await source.attach(Element("identity")) }
            #expect(!ProcessCensus.hasOpen(folder.file("device")))
        }

        @Test("Holding a missing device fails every time and leaves nothing open")
        func missingDevice() async throws {
            let folder = try PipelineFolder([
                "nothere-audio-source.launch": "# A file that is not there.\nfilesrc location=/nonexistent/file"
            ])
            let engine = try await Engine.start(pipelineFolder: folder.path)
            let source = try engine.capture(AudioSource(name: "nothere"))
            for _ in 1...2 {
                let error = await #expect(throws: MediaError.self) { try await source.hold() }
                guard case .sourceFailed("nothere", .notFound, let text) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(text.contains("/nonexistent/file"))
            }
            #expect(!source.isSynthetic)
            await source.release()
        }
    }
}
