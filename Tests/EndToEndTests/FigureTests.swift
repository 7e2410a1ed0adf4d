import Foundation
import TestServers
import Testing

@testable import callagent_cli

extension EndToEnd {
    /// The figures of a call's report.
    @Suite struct FigureTests {
        @Test("docs/cli.md lists exactly the figures that a call has and that --expect takes")
        func documented() async throws {
            // Long enough for two ticks, whenever it begins.
            let document = try await document(["--codec", "vp8"], count: 1, duration: "4s")
            let call = try #require((document["calls"] as? [[String: Any]])?.first)
            let speech = try await self.document([], count: 1, duration: "2s", peerAudio: "speech")
            let spoken = try #require((speech["calls"] as? [[String: Any]])?.first)
            let documented = try Self.documentedPaths()
            #expect(documented == Set(Figures.ofCall), "\(documented.symmetricDifference(Figures.ofCall))")
            #expect(Figures.ofCall.count == Set(Figures.ofCall).count)
            // A call between two agents has no estimates of what the peer may send, and this one no data channel.
            let rare = ["timelineMs.", "transport.availableIncomingBitrate", "dataChannel."]
            let always = documented.filter { path in !rare.contains(where: path.hasPrefix) }
            for path in always { _ = try (path.contains(".speech.") ? spoken : call).number(path) }
            // Not figures: answers yes or no.
            let present = (Array(call) + Array(spoken)).filter { !["media", "offersCallAgain"].contains($0.key) }
                .flatMap { Self.numbers(in: $0.value, $0.key) }
            #expect(Set(present).subtracting(documented).isEmpty, "\(Set(present).subtracting(documented))")
            #expect(present.count > 40)

            let summary = [document, speech].flatMap { Self.numbers(in: $0["summary"], "summary") }
                .map { String($0.dropFirst("summary.".count)) }
            #expect(Set(summary).subtracting(Figures.ofSummary(.calls)).isEmpty)
            let ofMedia = always.filter { path in ["video.", "audio.", "transport."].contains(where: path.hasPrefix) }
            #expect(Set(ofMedia.flatMap { path in Spread.names.map { "\(path).\($0)" } }).isSubset(of: summary))
        }

        @Test("The summary of the demo has the figures of both ends, and no others")
        func demoSummary() async throws {
            let demo = try Program(["demo", "--duration", "1s", "--json"])
            #expect(try await demo.waitForExit() == 0, "\(demo.errors)")
            let paths = Self.numbers(in: try demo.document()["summary"], "").map { String($0.dropFirst()) }
            let unknown = Set(paths).subtracting(Figures.ofSummary(.demo))
            #expect(unknown.isEmpty, "\(unknown)")
            #expect(
                paths.contains("caller.video.received.framesDecoded.max")
                    && paths.contains("acceptToShownMs.callee.p95"))
        }

        @Test("The figures report the media that flowed")
        func values() async throws {
            for call in try await calls(["--video-size", "320x240@30"], count: 1) {
                #expect(try call.number("video.sent.frameWidth") == 320)
                #expect(try (5...3_000).contains(call.number("video.sent.kbitPerSecond")))
                #expect(try (5...3_000).contains(call.number("video.received.kbitPerSecond")))
                #expect(try (5...200).contains(call.number("audio.received.kbitPerSecond")))
                #expect(try call.number("audio.received.packetsReceived") > 50)
                for path in ["video.received.lossPercent", "audio.received.lossPercent", "transport.packetsLost"] {
                    #expect(try call.number(path) == 0)
                }
                #expect(try (0..<1_000).contains(call.number("transport.roundTripTimeMs")))
            }
        }

        @Test("A change of the size is counted at both ends, in the direction in which it was sent")
        func sizeChange() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--once"])
            let alice = try trio.call(["--events", "--duration", "3s", "--at", "500ms=video-size=208x120"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            let (mine, theirs) = (try report(alice), try report(bob))
            #expect(try mine.number("video.sent.frameSizeChanges") == 1)
            #expect(try mine.number("video.received.frameSizeChanges") == 0)
            #expect(try theirs.number("video.received.frameSizeChanges") == 1)
            #expect(try theirs.number("video.sent.frameSizeChanges") == 0)
            #expect(try theirs.number("video.received.frameWidth") == 208)
        }

        @Test("An encoder that is too slow drops frames, and the peer gets the rest")
        func slowEncoder() async throws {
            let folder = Folder()
            let builtIn = try String(contentsOfFile: "pipelines/encoders/vp8-encoder.launch", encoding: .utf8)
            // At most ten frames a second of thirty.
            let slow = builtIn.replacing("vp8enc", with: "identity sleep-time=100000 ! vp8enc")
            _ = try folder.write(slow, "vp8-encoder.launch")
            let trio = try await Trio()
            let bob = try await trio.listen(["--once"])
            let alice = try trio.call(["--events", "--duration", "4s", "--pipelines", folder.path(".")])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            let mine = try report(alice)
            #expect(try mine.number("video.sent.framesDropped") > 10)
            let sent = try mine.number("video.sent.framesSent")
            #expect(try (5...sent).contains(report(bob).number("video.received.framesDecoded")))
        }

        @Test(
            "A network that loses packets shows in loss and freezes, and expectations that fail have the call and its value",
            .enabled(if: NetworkLab.isPossible, "network namespaces need root, iproute2 and nftables"))
        func lossy() async throws {
            let unmet = ["video.received.freezeCount==0", "audio.received.lossPercent<=0"]
            let met = [
                "video.received.lossPercent>0", "calls.0.video.received.totalFreezesDurationMs>0",
                "calls.0.statistics.0.bytesReceived>1000",
            ]
            let call = try await LabCall(
                try NetworkLab(hasNAT: false), alice: (unmet + met).flatMap { ["--expect", $0] })
            try call.lab.lose(percent: 50)
            for end in [call.alice, call.bob] {
                try await eventually("losses and a freeze", within: .seconds(40)) {
                    let (video, audio) = (LabCall.received(end, "video"), LabCall.received(end, "audio"))
                    return video["freezeCount"] as? Int ?? 0 > 0 && video["packetsLost"] as? Int ?? 0 > 10
                        && audio["packetsLost"] as? Int ?? 0 > 10
                }
            }
            try call.lab.lose(percent: nil)
            try await call.expectMedia(within: .seconds(40))
            call.bob.signal(SIGINT)
            #expect(try await call.alice.waitForExit() == 6, "\(call.alice.errors)")
            try await call.bob.waitForExit()
            for report in [try report(call.alice), try report(call.bob)] {
                for path in [
                    "video.received.lossPercent", "audio.received.lossPercent", "video.received.packetsLost",
                    "video.received.freezeCount", "video.received.totalFreezesDurationMs",
                    "video.received.quality.longestFreezeMs", "transport.packetsLost", "video.sent.packetsLost",
                    "audio.sent.lossPercent", "video.received.retransmittedPacketsReceived",
                ] {
                    #expect(try report.number(path) > 0, "\(path)")
                }
                #expect(try report.number("video.received.lossPercent") < 100)
            }
            let mine = try report(call.alice)
            let place = "in call 1 (with bob, id \(try mine.text("callId")))"
            let (freezes, loss) = (
                try mine.number("video.received.freezeCount"), try mine.number("audio.received.lossPercent")
            )
            #expect(
                call.alice.errors.split(separator: "\n") == [
                    "callagent: expected video.received.freezeCount == 0, but it is \(freezes.brief) \(place)",
                    "callagent: expected audio.received.lossPercent <= 0, but it is \(loss.brief) \(place)",
                    "callagent: 2 of 5 expectations were not met",
                ])
        }

        private func document(
            _ arguments: [String], count: Int, duration: String = "3s", peerAudio: String = "clock"
        ) async throws -> [String: Any] {
            let trio = try await Trio()
            // Frames with marks and audio with ticks have all figures.
            let bob = try await trio.listen(["--video", "clock", "--audio", peerAudio])
            let alice = try trio.call(["--json", "--repeat", "\(count)", "--duration", duration] + arguments)
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            bob.signal(SIGINT)
            return try alice.document()
        }

        /// The last report of `--events`.
        private func report(_ end: Program) throws -> [String: Any] {
            try #require(end.events.last { $0["event"] as? String == "report" }).object("report")
        }

        private func calls(_ arguments: [String], count: Int) async throws -> [[String: Any]] {
            try #require(try await document(arguments, count: count)["calls"] as? [[String: Any]])
        }

        /// The paths in the table of figures.
        private static func documentedPaths() throws -> Set<String> {
            let text = try String(contentsOfFile: "docs/cli.md", encoding: .utf8)
            let section = text.components(separatedBy: "| path in a call |")[1].components(separatedBy: "\n\n")[0]
            let rows = section.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
            return Set(
                rows.flatMap { row in
                    let cells = row.components(separatedBy: " | ").map { cell in
                        cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
                    }
                    // The stages are in the second cell.
                    return cells[0] == ["timelineMs.STAGE"] ? cells[1].map { "timelineMs.\($0)" } : cells[0]
                })
        }

        /// The paths of all numbers below `value`.
        private static func numbers(in value: Any?, _ path: String) -> [String] {
            if let object = value as? [String: Any] {
                return object.flatMap { numbers(in: $0.value, "\(path).\($0.key)") }
            }
            return value is NSNumber ? [path] : []
        }
    }
}
