import Foundation
import Testing

extension EndToEnd {
    /// The codecs of calls, and their statistics.
    @Suite struct CodecTests {
        @Test("Two ends use the codecs that both lists contain")
        func overlap() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen([
                "--codec", "h264,vp9", "--audio-codec", "pcma,g722", "--video", "test:smpte", "--audio", "tone:554",
            ])
            let alice = try trio.call([
                "--codec", "vp8,vp9", "--audio-codec", "opus,g722", "--duration", "2s", "--json",
                "--payload-type", "123=VP9/90000", "--opus", "economical", "--max-video-rate", "400",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)\(bob.errors)")
            let calls = try #require(alice.document()["calls"] as? [[String: Any]])
            let call = try #require(calls.first)
            for path in ["video.sent.codec", "video.received.codec"] { #expect(try call.text(path) == "VP9") }
            for path in ["audio.sent.codec", "audio.received.codec"] { #expect(try call.text(path) == "G722") }
            #expect(try call.number("video.received.distinctFrames") > 10)
            #expect(try abs(call.number("audio.received.toneHz") - 554) < 9)
        }

        @Test("Without a common codec the call ends at once, and both ends get the reason")
        func nothingInCommon() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--codec", "h264"])
            let alice = try trio.call(["--codec", "vp8", "--json"])
            #expect(try await alice.waitForExit() != 0)
            let call = try #require((alice.document()["calls"] as? [[String: Any]])?.first)
            #expect(try call.text("end.reason") == "incompatibleMedia")
            try await eventually("bob's report") { bob.count(of: ["event": "report"]) == 1 }
            let report = try #require(bob.events.first { $0["event"] as? String == "report" })
            #expect(try report.text("report.end.reason") == "incompatibleMedia")
            #expect(try report.text("report.end.text").contains("no video codec that this end can use"))
        }

        @Test("Statistics are printed in intervals, as totals and as rates")
        func statistics() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--stats-interval", "500ms"])
            let alice = try trio.call(["--duration", "10m", "--events", "--stats-interval", "200ms"])
            for program in [alice, bob] {
                try await eventually("three reports with video that flows", within: .seconds(40)) {
                    rates(program).count { ($0["framesPerSecond"] as? Double ?? 0) > 5 } >= 3
                }
                let event = try #require(program.events.last { $0["event"] as? String == "statistics" })
                let entries = try #require(event["statistics"] as? [[String: Any]])
                let types = Set(entries.compactMap { $0["type"] as? String })
                #expect(types.isSuperset(of: ["inbound-rtp", "outbound-rtp", "candidate-pair", "local-candidate"]))
                let audio = try #require(entries.first { $0["kind"] as? String == "audio" && $0["audioLevel"] != nil })
                // The level of a sine at half of full scale.
                #expect(abs((audio["audioLevel"] as? Double ?? 0) - 0.354) < 0.02)
                #expect(try event.number("interval.seconds") > 0)
            }
            alice.signal(SIGINT)
            #expect(try await alice.waitForExit() == 130)
            let last = try #require(alice.events.last).object("report")
            let entries = try #require(last["statistics"] as? [[String: Any]], "the last ones survive the call")
            let video = try #require(
                entries.first { $0["type"] as? String == "inbound-rtp" && $0["kind"] as? String == "video" })
            #expect((video["framesDecoded"] as? Int ?? 0) > 10)
        }

        private func rates(_ program: Program) -> [[String: Any]] {
            program.events.filter { $0["event"] as? String == "statistics" }
                .compactMap { ($0["interval"] as? [String: Any])?["inbound"] as? [[String: Any]] }
                .compactMap { $0.first { $0["kind"] as? String == "video" } }
        }

        @Test(
            "An invalid codec, number or interval is wrong usage, in one line that names valid values",
            arguments: [
                (["--codec", "vp8,vp7"], "'vp7' is no video codec; use one of vp8, vp9, h264, h265"),
                (["--audio-codec", "vp8"], "'vp8' is no audio codec; use one of opus, g722, pcmu, pcma"),
                (["--payload-type", "95=VP8/90000"], "payload-type"),
                (["--payload-type", "100=AV1/90000"], "payload-type"), (["--payload-type", "100=VP8"], "payload-type"),
                (["--encoder", "h263"], "h263"), (["--max-video-rate", "0"], "6 to 2000000"),
                (["--stats-interval", "1s"], "--stats-interval needs --events"),
                (["--events", "--stats-interval", "10ms"], "100ms or more"),
            ])
        func usage(options: [String], says: String) async throws {
            let program = try Program(["call", "bob", "--as", "alice"] + options)
            #expect(try await program.waitForExit() == 2)
            #expect(program.errors.contains(says), "\(program.errors)")
        }
    }
}
