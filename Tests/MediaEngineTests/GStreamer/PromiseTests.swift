import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Promises") struct PromiseTests {
        @Test("A promise that is freed without a reply expires")
        func unanswered() async throws {
            try GStreamerLibrary.initialize()
            await #expect(throws: MediaError.expired(operation: "nothing")) {
                _ = try await awaitReply(to: "nothing") { _ in }
            }
        }

        @Test("An action that the element refuses throws the reason")
        func refused() async throws {
            let webrtc = try startedWebRTC()
            defer { webrtc.pipeline.stop() }
            // An answer without an offer.
            let failure = await #expect(throws: MediaError.self) {
                _ = try await inTime("create-answer") {
                    try await awaitReply(to: "create-answer") { promise in
                        webrtc.element.emit("create-answer", [.emptyStructure, .promise(promise)])
                    }
                }
            }
            guard case .rejected("create-answer", let text) = failure else {
                Issue.record("failed otherwise: \(String(describing: failure))")
                return
            }
            #expect(!text.isEmpty)
        }

        @Test("A description in the wrong state is refused")
        func wrongState() async throws {
            let webrtc = try startedWebRTC()
            defer { webrtc.pipeline.stop() }
            let native = try NativeSessionDescription(SessionDescription(kind: .answer, sdp: SDPSamples.answer))
            await #expect(throws: MediaError.self) {
                _ = try await inTime("set-remote-description") {
                    try await awaitReply(to: "set-remote-description") { promise in
                        webrtc.element.emit("set-remote-description", [.description(native), .promise(promise)])
                    }
                }
            }
        }

        @Test("A request to a stopped element fails, and never hangs")
        func stopped() async throws {
            let webrtc = try startedWebRTC()
            webrtc.pipeline.stop()
            await #expect(throws: MediaError.self) {
                _ = try await inTime("create-offer") {
                    try await awaitReply(to: "create-offer") { promise in
                        webrtc.element.emit("create-offer", [.emptyStructure, .promise(promise)])
                    }
                }
            }
        }

        @Test("A request is answered or expires when the element stops meanwhile")
        func stoppedMeanwhile() async throws {
            for _ in 1...20 {
                let webrtc = try startedWebRTC()
                let pendingReplies = PendingReplies()
                try await inTime("get-stats") {
                    await withTaskGroup { group in
                        for _ in 1...8 {
                            group.addTask {
                                _ = try? await awaitReply(to: "get-stats", pending: pendingReplies) { promise in
                                    webrtc.element.emit("get-stats", [.noPad, .promise(promise)])
                                }
                            }
                        }
                        webrtc.pipeline.stop()
                        // The element itself refuses later requests.
                        pendingReplies.expire()
                    }
                }
            }
        }

        @Test("Before the element stops, its replies are awaited, and no more is requested")
        func finished() async throws {
            let webrtc = try startedWebRTC()
            defer { webrtc.pipeline.stop() }
            let pendingReplies = PendingReplies()
            let isStarted = Shared(false)
            let requests = (1...8).map { _ in
                Task {
                    try await awaitReply(to: "get-stats", pending: pendingReplies) { promise in
                        webrtc.element.emit("get-stats", [.noPad, .promise(promise)])
                    }
                }
            }
            _ = try await requests[0].value
            try await inTime("the replies") { await pendingReplies.finish(within: .seconds(60)) }
            await #expect(throws: MediaError.expired(operation: "late")) {
                try await awaitReply(to: "late", pending: pendingReplies) { _ in isStarted.update { $0 = true } }
            }
            #expect(!isStarted.value)
            for request in requests { _ = try await inTime("the end of each request") { await request.result } }
        }

        @Test("A reply that does not come is awaited up to the limit, or until the element has stopped")
        func unansweredAtTheEnd() async throws {
            let pendingReplies = PendingReplies()
            let isStarted = Shared(false)
            let request = Task {
                try await awaitReply(to: "nothing", pending: pendingReplies) { _ in isStarted.update { $0 = true } }
            }
            try await eventually("the request") { isStarted.value }
            let begin = ClockReading.now
            try await inTime("the limit") { await pendingReplies.finish(within: .milliseconds(50)) }
            #expect(ClockReading.now - begin >= .milliseconds(50))
            let finishing = Task { await pendingReplies.finish(within: .seconds(60)) }
            #expect(await !Deadline.isMet(.milliseconds(50)) { await finishing.value })
            pendingReplies.expire()
            try await inTime("the end") { await finishing.value }
            await #expect(throws: MediaError.expired(operation: "nothing")) { try await request.value }
        }

        @Test("What is requested after the element has stopped expires without a request")
        func requestedLater() async throws {
            let pendingReplies = PendingReplies()
            pendingReplies.expire()
            let isStarted = Shared(false)
            await #expect(throws: MediaError.expired(operation: "get-stats")) {
                try await awaitReply(to: "get-stats", pending: pendingReplies) { _ in isStarted.update { $0 = true } }
            }
            #expect(!isStarted.value)
        }

        @Test("A reply is converted to values: get-stats has fields by name")
        func reply() async throws {
            let webrtc = try startedWebRTC()
            defer { webrtc.pipeline.stop() }
            let fields = try await inTime("get-stats") {
                try await awaitReply(to: "get-stats") { promise in
                    webrtc.element.emit("get-stats", [.noPad, .promise(promise)])
                }
            }
            #expect(fields.values.contains { $0.fields?["type"] != nil })
        }

        private func startedWebRTC() throws -> (pipeline: Pipeline, element: Element) {
            try GStreamerLibrary.initialize()
            let pipeline = try Pipeline(name: "promise", timeBase: .clock)
            let element = try Element("webrtcbin")
            pipeline.bin.add(element)
            try pipeline.bin.setState(.playing)
            return (pipeline, element)
        }
    }
}
