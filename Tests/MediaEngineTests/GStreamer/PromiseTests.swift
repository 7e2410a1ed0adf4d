import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Promises") struct PromiseTests {
        @Test("One that is freed unanswered is told as expired")
        func unanswered() async throws {
            try GStreamerLibrary.initialize()
            await #expect(throws: MediaError.expired(operation: "nothing")) {
                _ = try await awaitReply(to: "nothing") { _ in }
            }
        }

        @Test("An action that the element refuses is told with its reason")
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

        @Test("A description that does not fit the state is refused with a reason")
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

        @Test("An element that was stopped answers at once or never, and never leaves the question open")
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

        @Test("What is asked while the element is stopped is answered or expires, every time")
        func stoppedMeanwhile() async throws {
            for _ in 1...20 {
                let webrtc = try startedWebRTC()
                let owed = OwedReplies()
                try await inTime("get-stats") {
                    await withTaskGroup { group in
                        for _ in 1...8 {
                            group.addTask {
                                _ = try? await awaitReply(to: "get-stats", owed: owed) { promise in
                                    webrtc.element.emit("get-stats", [.noPad, .promise(promise)])
                                }
                            }
                        }
                        webrtc.pipeline.stop()
                        // Those that come later are refused by the element itself.
                        owed.expire()
                    }
                }
            }
        }

        @Test("Replies come as values: get-stats has fields by name")
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
