import Testing

@testable import CallAgent
@testable import MediaEngine

extension EndToEnd {
    /// When devices are opened and closed.
    @Suite struct CapturePolicyTests {
        @Test(
            "The policy decides if a device is open from prepare() to release(), or only during calls",
            arguments: [
                MediaConfiguration.CapturePolicy.automatic, .perCall, .fromPrepare,
            ])
        func policies(policy: MediaConfiguration.CapturePolicy) async throws {
            let engine = try await Engine.start(logger: .quiet)
            let source = VideoSource.test(.snow, format: VideoFormat(width: 176, height: 144))
            var configuration = MediaConfiguration(video: source, audio: nil)
            configuration.tuning = .loopback
            configuration.capturePolicy = policy
            let provider = EngineMediaProvider(engine: engine, configuration: configuration)
            let device = try engine.capture(source)
            try await provider.prepare()
            // A generated source is open between calls, unless the application sets another policy.
            let staysOpen = policy != .perCall
            #expect(await device.isOpen == staysOpen)
            for _ in 1...2 {
                let session = try await provider.makeSession(
                    label: "test", peer: "bob", media: .init(audio: false, video: true), role: .caller, outputs: nil)
                _ = try await session.createOffer()
                #expect(await device.isOpen)
                await session.close()
                try await eventually("as before the call") { await device.isOpen == staysOpen }
            }
            await provider.release()
            #expect(await !device.isOpen)
        }

        @Test(
            "With fromPrepare a busy device makes prepare() fail; it succeeds when the device is free"
        )
        func busy() async throws {
            let folder = Folder()
            var port: HeldPort? = try HeldPort()
            _ = try folder.write(port?.description ?? "", "taken-video-source.launch")
            let engine = try await Engine.start(pipelineFolder: folder.path("."), logger: .quiet)
            var configuration = MediaConfiguration(video: VideoSource(name: "taken"), audio: nil)
            configuration.capturePolicy = .fromPrepare
            let provider = EngineMediaProvider(engine: engine, configuration: configuration)
            let error = await #expect(throws: MediaSessionError.self) { try await provider.prepare() }
            #expect(error?.isMissingPrerequisite == true)
            #expect(error?.description.contains("(busy)") == true, "\(String(describing: error))")
            #expect(error?.description.contains("end the program that uses it") == true)
            port = nil
            try await provider.prepare()
            await provider.release()
        }
    }
}
