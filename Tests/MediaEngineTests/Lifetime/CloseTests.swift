import Foundation
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Closing a connection") struct CloseTests {
        @Test("Closing before negotiation ends the events, and later operations fail")
        func beforeNegotiation() async throws {
            let peer = try await TestEngine.peer()
            try await inTime("close") { await peer.close() }
            for await event in peer.events { Issue.record("\(event)") }
            await #expect(throws: MediaError.closed) { try await peer.createOffer() }
            await #expect(throws: MediaError.closed) {
                try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: SDPSamples.offer))
            }
            await #expect(throws: MediaError.closed) {
                try await peer.setAnswer(SessionDescription(kind: .answer, sdp: SDPSamples.answer))
            }
            await #expect(throws: MediaError.closed) { try await peer.addCandidate(.endOfCandidates) }
            await peer.setSending(.live, of: .audio)
            #expect(await peer.statistics() == PeerStatistics())
        }

        @Test("A connection can be closed in any phase, repeatedly, and from several tasks", arguments: Phase.allCases)
        func anyPhase(phase: Phase) async throws {
            let call = try await LoopbackCall()
            switch phase {
            case .offered: _ = try await call.caller.peer.createOffer()
            case .connecting: try await call.negotiate()
            case .connected:
                try await call.connect()
                for end in call.ends { try await end.waitForFrames(3) }
            case .interrupted:
                try await call.connect()
                await call.callee.peer.close()
            }
            try await inTime("closing") {
                await withTaskGroup(of: Void.self) { group in
                    for end in call.ends + call.ends { group.addTask { await end.peer.close() } }
                }
            }
            try await inTime("closing again") { await call.close() }
            await #expect(throws: MediaError.self) { try await call.caller.peer.createOffer() }
        }

        enum Phase: CaseIterable { case offered, connecting, connected, interrupted }

        @Test("A second close returns only when the connection is closed")
        func secondCloseWaits() async throws {
            let folder = try PipelineFolder(DeviceFile.description)
            let engine = try await Engine.start(pipelineFolder: folder.path)
            let device = DeviceFile(in: folder)
            for _ in 0..<5 {
                let peer = device.peer(of: engine, try engine.capture(device.source))
                _ = try await peer.createOffer()
                #expect(device.isOpen)
                async let first: Void = peer.close()
                async let second: Void = peer.close()
                await second
                #expect(!device.isOpen)
                await first
            }
        }

        @Test("Closing while the offer is made closes the device, too")
        func whileOffering() async throws {
            let folder = try PipelineFolder(DeviceFile.description)
            let engine = try await Engine.start(pipelineFolder: folder.path)
            let device = DeviceFile(in: folder)
            for delay in 0..<30 {
                let peer = device.peer(of: engine, try engine.capture(device.source))
                let offering = Task { try await peer.createOffer() }
                // Each round waits a little longer, from before the first step to after the last.
                for _ in 0..<(delay * 20) { await Task.yield() }
                try await inTime("closing") { await peer.close() }
                // It must end, with an offer or without one.
                _ = await inTimeResult("the offer") { await offering.result }
                try await eventually("the device is closed in round \(delay)") { !device.isOpen }
            }
        }

        @Test("Both ends can be closed at any moment of the set-up, also with data channels")
        func anyMoment() async throws {
            let before = ProcessCensus.now().sockets
            for round in 0..<40 {
                var options = LoopbackCall.Options()
                options.configure = { $0.allowsDataChannels = round.isMultiple(of: 2) }
                let call = try await LoopbackCall(options)
                if round.isMultiple(of: 2) { _ = try await call.caller.peer.makeDataChannel("chat") }
                let negotiation = Task { try await call.negotiate() }
                // From before the offer to after the handshake.
                try await Task.sleep(for: .milliseconds(round * 3))
                try await inTime("closing in round \(round)") {
                    await withTaskGroup { group in
                        for end in call.ends { group.addTask { await end.peer.close() } }
                    }
                }
                // It must end, connected or not.
                _ = await inTimeResult("the negotiation") { await negotiation.result }
                await call.close()
                // Nothing holds the media any longer; the limit for gathering is longer than that.
                try await eventually("the sockets are closed in round \(round)", within: .seconds(3)) {
                    ProcessCensus.now().sockets <= before
                }
            }
        }

        @Test("The statistics at the beginning of the close are the final ones, also for who asks during the close")
        func figures() async throws {
            try await withCall { call in
                try await call.connect()
                try await call.callee.waitForFrames(5)
                let peer = call.callee.peer
                let before = await peer.statistics()
                async let closing: Void = peer.close()
                try await eventually("the close begins") { await peer.isClosed }
                let during = await peer.statistics()
                await closing
                let (last, report) = (await peer.statistics(), await peer.statisticsReport())
                #expect(last == during)
                #expect(last.received[.video]?.decoded ?? 0 >= before.received[.video]?.decoded ?? .max)
                #expect(
                    last.transport.bytesReceived >= before.transport.bytesReceived && before.transport.bytesReceived > 0
                )
                #expect(report.inbound.first { $0.kind == "video" }?.framesDecoded == last.received[.video]?.decoded)
            }
        }

        @Test("A device that hangs does not delay the close beyond its limit")
        func hangingDevice() async throws {
            let folder = try PipelineFolder(DeviceFile.description)
            let device = DeviceFile(in: folder, pipe: true)
            let engine = try await Engine.start(pipelineFolder: folder.path)
            let peer = device.peer(of: engine, try engine.capture(device.source), teardownMs: 300)
            _ = try await peer.createOffer()
            try await inTime("closing", within: .seconds(5)) { await peer.close() }
            // Releases the hanging thread.
            device.hangUp()
        }

        @Test("While another device hangs on opening, a close still closes the camera and the connection")
        func hangingNext() async throws {
            let folder = try PipelineFolder(microphoneFromFile: "hanging")
            let pipe = folder.file("pipe")
            mkfifo(pipe, 0o600)
            var options = LoopbackCall.Options()
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            options.configure = { $0.tuning.teardownMs = 1_000 }
            options.callerVideo = .test(.snow)
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForFrames(5)
                let camera = try await call.capture(.caller, .video)
                let hanging = try #require(options.engine).capture(AudioSource(name: "hanging", choice: pipe))
                let change = Task { try await call.caller.peer.setSource(hanging) }
                try await eventually("it hangs") {
                    await !Deadline.isMet(.milliseconds(200)) { _ = await hanging.isOpen }
                }
                let sockets = ProcessCensus.now().sockets
                try await inTime("closing", within: .seconds(5)) { await call.caller.peer.close() }
                #expect(await !camera.isOpen)
                #expect(ProcessCensus.now().sockets < sockets)
                // Releases the hanging thread.
                close(open(pipe, O_WRONLY))
                await #expect(throws: MediaError.self) { try await change.value }
            }
        }

        @Test("A negotiated connection without references stays open and can still be closed")
        func abandoned() async throws {
            weak var abandoned: PeerConnection?
            do {
                let peer = try await TestEngine.peer()
                _ = try await peer.createOffer()
                abandoned = peer
            }
            // The connection watches its peer and so keeps itself alive: a call does not end because the program dropped it.
            let peer = try #require(abandoned)
            try await inTime("closing") { await peer.close() }
        }

        @Test("A connection that never negotiated, or is closed, is freed with its last reference")
        func released() async throws {
            weak var fresh: PeerConnection?
            weak var closed: PeerConnection?
            do {
                let peer = try await TestEngine.peer()
                fresh = peer
                let other = try await TestEngine.peer()
                closed = other
                _ = try await other.createOffer()
                await other.close()
            }
            try await eventually("both released") { fresh == nil && closed == nil }
        }

        /// Waits for an operation that cannot fail.
        private func inTimeResult<T: Sendable>(
            _ what: String, _ operation: @escaping @Sendable () async -> T
        ) async -> T? {
            do { return try await inTime(what, operation) } catch {
                Issue.record(error)
                return nil
            }
        }
    }

    /// An audio source that reads a file or a pipe, so that a test can see whether it is open.
    private struct DeviceFile {
        static let description = [
            "file-audio-source.launch": """
            # value choice: source.location
            filesrc name=source blocksize=8 ! identity sleep-time=20000 ! capsfilter caps=audio/x-raw,format=S16LE,rate=48000,channels=1,layout=interleaved
            """
        ]
        let path: String
        private let writer: Int32

        init(in folder: PipelineFolder, pipe: Bool = false) {
            path = folder.file("device")
            if pipe { mkfifo(path, 0o600) }
            writer = open(path, O_RDWR | O_CREAT, 0o600)
            if !pipe {
                // A source at the end of its file is closed.
                _ = write(writer, [UInt8](repeating: 0, count: 8_000), 8_000)
                close(writer)
            }
        }

        var source: AudioSource { AudioSource(name: "file", choice: path) }

        var isOpen: Bool { ProcessCensus.hasOpen(path) }

        func hangUp() { close(writer) }

        func peer(of engine: Engine, _ capture: CaptureSource, teardownMs: Int = 5_000) -> PeerConnection {
            var configuration = PeerConnectionConfiguration(
                label: "device", tracks: [.audio: TrackConfiguration(source: capture)])
            configuration.tuning = .loopback
            configuration.tuning.teardownMs = teardownMs
            return engine.makePeerConnection(configuration)
        }
    }
}
