import Foundation
import Testing

extension EndToEnd {
    /// What `callagent demo` prints about its calls.
    @Suite struct DemoTests {
        @Test("Every call of the demo carries the other end's picture and tone, and nothing is shown before connected")
        func media() async throws {
            let demo = try Program(["demo", "--calls", "3", "--json"])
            #expect(try await demo.waitForExit() == 0, "\(demo.errors)")
            let document = try demo.document()
            let calls = try #require(document["calls"] as? [[String: Any]])
            #expect(calls.count == 3)
            #expect(try document.number("summary.connected") == 3)
            for call in calls {
                try expectMedia(from: call.object("caller"), to: call.object("callee"))
                try expectMedia(from: call.object("callee"), to: call.object("caller"))
                #expect(try call.text("caller.end.reason") == "localHangup")
                #expect(try call.text("callee.end.reason") == "remoteHangup")
                #expect(try call.text("caller.end.by") == "alice")
                #expect(try call.text("callee.end.by") == "alice")
                #expect(try call.text("caller.callId") == call.text("callee.callId"))
            }
        }

        @Test("The same with H264")
        func h264() async throws {
            let demo = try Program(["demo", "--codec", "h264", "--json"])
            #expect(try await demo.waitForExit() == 0, "\(demo.errors)")
            let call = try #require((try demo.document()["calls"] as? [[String: Any]])?.first)
            try expectMedia(from: call.object("caller"), to: call.object("callee"), codec: "H264")
            try expectMedia(from: call.object("callee"), to: call.object("caller"), codec: "H264")
        }

        @Test("Under full both ends have decoded a picture before the callee accepts")
        func full() async throws {
            let call = try await ring("full")
            for end in ["caller", "callee"] {
                #expect(
                    try call.number("\(end).timelineMs.firstVideoFrame") < call.number("\(end).timelineMs.accepted"))
                #expect(try call.number("\(end).video.received.shownBeforeConnected") == 0)
                #expect(try call.number("\(end).audio.received.heardBeforeConnected") == 0)
            }
            #expect(try call.number("caller.video.received.rtpPacketsBeforeAccept") > 0)
        }

        @Test("Under guarded the callee sees the caller before it accepts, and none of its own packets has left")
        func guarded() async throws {
            let call = try await ring("guarded")
            #expect(try call.number("callee.timelineMs.firstVideoFrame") < call.number("callee.timelineMs.accepted"))
            #expect(try call.number("caller.timelineMs.dtlsConnected") < call.number("caller.timelineMs.accepted"))
            #expect(try call.number("caller.video.received.rtpPacketsBeforeAccept") == 0)
            #expect(try call.number("caller.audio.received.rtpPacketsBeforeAccept") == 0)
        }

        @Test("Under off nothing happens before the callee accepts")
        func off() async throws {
            let call = try await ring("off")
            for end in ["caller", "callee"] {
                #expect(try call.number("\(end).timelineMs.iceConnected") > call.number("\(end).timelineMs.accepted"))
            }
        }

        @Test("An expectation that is not met is told in one line, with exit code 6")
        func expectation() async throws {
            let demo = try Program(["demo", "--duration", "300ms", "--expect", "summary.connected==2"])
            #expect(try await demo.waitForExit() == 6)
            #expect(demo.errors == "callagent: expected summary.connected == 2.0, but it is 1.0\n")
        }

        private func ring(_ policy: String) async throws -> [String: Any] {
            let demo = try Program(
                ["demo", "--answer-after", "3s", "--duration", "1s", "--early-media", policy, "--json"])
            #expect(try await demo.waitForExit() == 0, "\(demo.errors)")
            return try #require((try demo.document()["calls"] as? [[String: Any]])?.first)
        }

        private func expectMedia(from sender: [String: Any], to receiver: [String: Any], codec: String = "VP8") throws {
            let (sent, received) = (try sender.object("video.sent"), try receiver.object("video.received"))
            #expect(try received.text("codec") == codec)
            #expect(try sent.number("width") == received.number("width"))
            #expect(try sent.number("height") == received.number("height"))
            #expect(try sent.number("frames") > 20)
            // But for half a second that may be on its way at the end.
            #expect(try received.number("frames") >= 0.9 * sent.number("frames") - 15)
            #expect(try received.number("distinctFrames") >= 0.9 * received.number("frames"))
            #expect(try received.number("shownBeforeConnected") == 0)
            let hertz = try sender.number("audio.sent.toneHz")
            #expect(try abs(receiver.number("audio.received.toneHz") - hertz) <= 0.02 * hertz)
            #expect(try receiver.number("audio.received.heardBeforeConnected") == 0)
            #expect(try receiver.text("transport.localCandidate") == "host")
            #expect(try receiver.number("transport.bytesReceived") > 10_000)
        }
    }
}
