import Foundation
import Testing

extension EndToEnd {
    /// The output of `callagent demo` about its calls.
    @Suite struct DemoTests {
        @Test("In every demo call both ends get the other's video and tone, and nothing is shown before connected")
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

        @Test("A demo call with H264 has media in both directions")
        func h264() async throws {
            let demo = try Program(["demo", "--codec", "h264", "--json"])
            #expect(try await demo.waitForExit() == 0, "\(demo.errors)")
            let call = try #require((try demo.document()["calls"] as? [[String: Any]])?.first)
            try expectMedia(from: call.object("caller"), to: call.object("callee"), codec: "H264")
            try expectMedia(from: call.object("callee"), to: call.object("caller"), codec: "H264")
        }

        @Test("full: both ends have decoded a frame before the callee accepts")
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

        @Test("guarded: the callee has decoded the caller's video before its accept, and has sent no media packet")
        func guarded() async throws {
            let call = try await ring("guarded")
            #expect(try call.number("callee.timelineMs.firstVideoFrame") < call.number("callee.timelineMs.accepted"))
            #expect(try call.number("caller.timelineMs.dtlsConnected") < call.number("caller.timelineMs.accepted"))
            #expect(try call.number("caller.video.received.rtpPacketsBeforeAccept") == 0)
            #expect(try call.number("caller.audio.received.rtpPacketsBeforeAccept") == 0)
        }

        @Test("off: no media step happens before the callee accepts")
        func off() async throws {
            let call = try await ring("off")
            for end in ["caller", "callee"] {
                #expect(try call.number("\(end).timelineMs.iceConnected") > call.number("\(end).timelineMs.accepted"))
            }
        }

        @Test("A failed expectation is one line and exit code 6")
        func expectation() async throws {
            let demo = try Program(["demo", "--duration", "300ms", "--expect", "summary.connected==2"])
            #expect(try await demo.waitForExit() == 6)
            #expect(demo.errors == "callagent: expected summary.connected == 2, but it is 1\n")
        }

        @Test("A recording that is not what was asked for is exit code 7")
        func recordingFault() async throws {
            let folder = Folder()
            // No file may become larger than 8 kB, as on a full disk.
            let demo = try Program(
                [
                    "-c", #"trap '' XFSZ; ulimit -f 16; exec "$0" demo --duration 2s --record "$1""#, Program.path,
                    folder.path("call.mkv"),
                ], path: "/bin/sh")
            #expect(try await demo.waitForExit() == 7)
            #expect(demo.errors.contains("call.mkv' is not recorded: "), "\(demo.errors)")
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
            #expect(try sent.number("frameWidth") == received.number("frameWidth"))
            #expect(try sent.number("frameHeight") == received.number("frameHeight"))
            #expect(try sent.number("framesSent") > 20)
            // Except half a second that may be in transit at the end.
            #expect(try received.number("framesDecoded") >= 0.9 * sent.number("framesSent") - 15)
            #expect(try received.number("distinctFrames") >= 0.9 * received.number("framesDecoded"))
            #expect(try received.number("shownBeforeConnected") == 0)
            let hertz = try sender.number("audio.sent.toneHz")
            #expect(try abs(receiver.number("audio.received.toneHz") - hertz) <= 0.02 * hertz)
            #expect(try receiver.number("audio.received.heardBeforeConnected") == 0)
            #expect(try receiver.text("transport.localCandidateType") == "host")
            #expect(try receiver.number("transport.bytesReceived") > 10_000)
        }
    }
}
