import BuiltInPipelines
import Foundation
import Testing

@testable import MediaEngine

@Suite("The catalog of pipeline descriptions") struct PipelineCatalogTests {
    /// The folder `pipelines` of this package.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "pipelines")

    @Test("Every file is built in with the same bytes, and nothing else is")
    func builtIn() throws {
        var files: [String: [UInt8]] = [:]
        for kind in try FileManager.default.contentsOfDirectory(atPath: Self.folder.path) {
            let names = try? FileManager.default.contentsOfDirectory(atPath: Self.folder.path + "/" + kind)
            for name in names ?? [] {
                #expect(files[name] == nil, "two files are named \(name)")
                files[name] = [UInt8](try Data(contentsOf: Self.folder.appending(path: kind + "/" + name)))
            }
        }
        #expect(files.count >= 11)
        #expect(Set(files.keys) == Set(BuiltInPipelines.files.keys))
        for (name, bytes) in files { #expect(BuiltInPipelines.files[name] == bytes, "\(name)") }
    }

    @Test("Every built-in description has a summary and can be built")
    func builtInOnesWork() throws {
        let catalog = try PipelineCatalog()
        #expect(catalog.descriptions.count == BuiltInPipelines.files.count)
        for description in catalog.descriptions {
            #expect(!description.summary.isEmpty, "\(description.name)")
            do {
                try description.check()
            } catch {
                // A device that this machine does not have.
                guard description.isOptional, case .pluginMissing = error else { throw error }
            }
        }
    }

    @Test("Every codec and every source that the engine names has its descriptions")
    func namesAreThere() throws {
        let catalog = try PipelineCatalog()
        for codec in Codec.allCases {
            for role in [PipelineDescription.Role.encoder, .decoder] {
                let description = try catalog.description(of: codec, role: role)
                if role == .encoder {
                    #expect(Set(description.values.keys).isSuperset(of: ["payload", "ssrc", "mtu"]))
                }
            }
        }
        _ = try catalog.description("test", role: .videoSource)
        _ = try catalog.description("tone", role: .audioSource)
        _ = try catalog.description("matroska", role: .recorder)
    }

    @Test("An unknown name is refused, and the error lists the known names")
    func unknownName() throws {
        let catalog = try PipelineCatalog()
        let unknown = MediaError.unknownPipelineDescription(
            name: "av1",
            known: [
                "g722", "h264", "h265", "openh264", "opus", "pcma", "pcmu", "v4l2-h264", "va-h264", "vaapi-h264", "vp8",
                "vp9",
            ])
        #expect(throws: unknown) { try catalog.description("av1", role: .encoder) }
        #expect(throws: MediaError.self) { try catalog.description("vp8", role: .videoSink) }
    }

    @Test("A user's file is found, and replaces a built-in one of the same name")
    func usersFolder() throws {
        let folder = try PipelineFolder([
            "vp8-encoder.launch": "# Mine.\nvp8enc name=encoder ! rtpvp8pay name=payloader",
            "door-video-source.launch": "# The door.\nvideotestsrc name=source", "notes.txt": "no description",
        ])
        let catalog = try PipelineCatalog(folder: folder.path)
        #expect(try catalog.description("vp8", role: .encoder).summary == "Mine.")
        #expect(try catalog.description("door", role: .videoSource).summary == "The door.")
        #expect(catalog.descriptions.count == BuiltInPipelines.files.count + 1)
        #expect(try PipelineCatalog().description("vp8", role: .encoder).summary != "Mine.")
    }

    @Test("An error names the unusable file or the missing folder")
    func unusableFolder() throws {
        let folder = try PipelineFolder(["x-encoder.launch": "# value\n# value a\nvp8enc"])
        let error = #expect(throws: MediaError.self) { try PipelineCatalog(folder: folder.path) }
        #expect(
            error
                == .invalidPipelineDescription(
                    name: folder.file("x-encoder.launch"), line: 2,
                    text: "not of the form '# value NAME: ELEMENT.PROPERTY'"))
        let missing = #expect(throws: MediaError.self) { try PipelineCatalog(folder: "/nonexistent/folder") }
        guard case .invalidPipelineDescription("/nonexistent/folder", nil, _) = missing else {
            Issue.record("failed otherwise: \(String(describing: missing))")
            return
        }
    }

    @Test("The engine checks sources and codecs without opening a device")
    func engineChecks() async throws {
        let engine = try await TestEngine.shared()
        try await engine.check(VideoSource.test(.smpte))
        try await engine.check(AudioSource.tone(hertz: 1_000))
        for codec in Codec.allCases { try await engine.check(codec) }
        let wrong = MediaError.invalidProperty(object: "GstVideoTestSrc", property: "pattern", value: "bal")
        await #expect(throws: wrong) { try await engine.check(VideoSource(name: "test", choice: "bal")) }
        await #expect(
            throws: MediaError.unknownPipelineDescription(
                name: "v4l3",
                known: ["busy", "clock", "frames", "image", "screen", "test", "v4l2", "v4l2-h264", "v4l2-mjpeg"])
        ) {
            try await engine.check(VideoSource(name: "v4l3"))
        }
        #expect(engine.hasElement("webrtcbin") && !engine.hasElement("no-such-element"))
        #expect(Engine.gstreamerVersion.hasPrefix("1."))
        #expect(Engine.libniceVersion.contains("."))
    }
}
