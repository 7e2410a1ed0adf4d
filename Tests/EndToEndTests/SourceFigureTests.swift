import Foundation
import Testing

extension EndToEnd {
    /// What shows that a camera or a microphone is at fault, whatever it sends.
    @Suite struct SourceFigureTests {
        private let folder = Folder()

        /// Sources at fault, as pipelines of the user.
        private static let pipelines = [
            "dark-video-source.launch": """
            # value caps: format.caps
            videotestsrc is-live=true pattern=black ! capsfilter name=format
            """,
            "hung-video-source.launch": """
            # value caps: format.caps
            videotestsrc is-live=true pattern=red ! capsfilter name=format
            """,
            "loud-audio-source.launch": """
            # value caps: format.caps
            audiotestsrc is-live=true wave=sine freq=440 volume=1 samplesperbuffer=480 ! audioamplify amplification=4 ! capsfilter name=format
            """,
        ]
        private static let figures = [
            "video.received.blackFrames==0", "video.received.quality.longestStillMs<500",
            "audio.received.silentMs<500", "audio.received.clippedMs<1",
        ]

        @Test(
            "Each fault of a source is in its own figure, and in no other",
            arguments: [
                ("test", "tone", []),
                ("dark", "tone", [0, 1]),
                ("hung", "tone", [1]),
                ("test", "silence", [2]),
                ("test", "loud", [3]),
            ])
        func figures(video: String, audio: String, faults: [Int]) async throws {
            for (name, text) in Self.pipelines { _ = try folder.write(text + "\n", name) }
            let expectations = Self.figures.map { "    - \"\($0)\"\n" }.joined()
            let file = try folder.write(
                """
                parties:
                  alice: {video: \(video), audio: \(audio)}
                  bob:
                steps:
                  - {party: alice, do: call:bob}
                duration: 3s
                expect:
                  bob:
                \(expectations)
                """, "source.yaml")
            let test = try Program(["test", file, "--pipelines", folder.path(""), "--json"])
            #expect(try await test.waitForExit() == (faults.isEmpty ? 0 : 6), "\(test.errors)")
            let scenario = try #require((try test.document()["scenarios"] as? [[String: Any]])?.first)
            let results = try #require(scenario["expectations"] as? [[String: Any]])
            let met = results.map { $0["met"] as? Bool }
            #expect(met == Self.figures.indices.map { !faults.contains($0) }, "\(results)")
        }
    }
}
