import Foundation
import Testing

extension EndToEnd {
    /// What shows that a voice changed on its way, although no packet was lost.
    @Suite struct SpeechFigureTests {
        private let folder = Folder()

        /// The source `speech` with something behind it that spoils it.
        private static func spoiled(by elements: String) throws -> String {
            let speech = try String(contentsOfFile: "pipelines/sources/speech-audio-source.launch", encoding: .utf8)
            return speech.replacing(" ! volume volume=0.5", with: " ! volume volume=0.5 ! \(elements)")
        }
        private static let faults = [
            "muffled": "audiocheblimit mode=low-pass cutoff=800 poles=8",
            // Without its latency, the mixer drops speech that is late on a busy machine, and sends noise alone.
            "noisy": """
            audiomixer name=mixer latency=1000000000 \
            audiotestsrc is-live=true wave=white-noise volume=0.15 ! mixer. mixer.
            """,
            "echoing": "audioecho delay=33000000 intensity=0.9 feedback=0.5",
        ]

        @Test(
            "Speech that was spoiled on its way has a distant spectrum",
            arguments: [("speech", true), ("muffled", false), ("noisy", false), ("echoing", false)])
        func spoiled(source: String, isMet: Bool) async throws {
            for (name, elements) in Self.faults {
                _ = try folder.write(try Self.spoiled(by: elements), "\(name)-audio-source.launch")
            }
            let file = try folder.write(
                """
                parties:
                  alice: {audio: \(source)}
                  bob: {audio: speech}
                steps:
                  - {party: alice, do: call-audio:bob}
                duration: 4s
                expect:
                  alice: [audio.received.speech.spectralDistanceDb.median<4]
                  bob:
                    - audio.received.speech.syllables>=6
                    - audio.received.speech.spectralDistanceDb.median<4
                """, "speech.yaml")
            let test = try Program(["test", file, "--pipelines", folder.path(""), "--json"])
            #expect(try await test.waitForExit() == (isMet ? 0 : 6), "\(test.errors)")
            let scenario = try #require((try test.document()["scenarios"] as? [[String: Any]])?.first)
            let results = try #require(scenario["expectations"] as? [[String: Any]])
            #expect(results.map { $0["met"] as? Bool } == [true, true, isMet], "\(results)")
        }
    }
}
