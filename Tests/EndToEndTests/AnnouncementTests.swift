import Foundation
import MediaEngine
import Testing
import WebSocketSignaling

@testable import CallAgent
@testable import callagent_cli

extension EndToEnd {
    /// Whether an end sends what it reports: muted means black and silence, off and hold mean nothing.
    ///
    /// Forced gates make peers that break their word. Each end of a call breaks it in one way, so each report must have one figure.
    @Suite struct AnnouncementTests {
        /// The figures, each of which is 0 unless something is wrong.
        private static let figures = [
            "video.received.framesWhileMuted", "audio.received.audibleMsWhileMuted",
            "video.received.rtpPacketsWhileOff", "audio.received.rtpPacketsWhileOff",
            "video.received.rtpPacketsWhileHeld", "audio.received.rtpPacketsWhileHeld",
            "video.received.aboveMaxRateMs", "audio.received.aboveMaxRateMs",
        ]

        @Test("Ends that mute, stop and hold as they say have only zeros, with media before, in between and after")
        func honest() async throws {
            let pair = try await Talk()
            let (heard, seen) = (try await pair.bob.look(.audio), try await pair.bob.look(.video))
            for (audio, video) in [(MediaState.Sending.muted, MediaState.Sending.off), (.off, .muted)] {
                let (buffers, frames) = (heard.buffers, seen.frames)
                await pair.mine.call.setAudio(audio)
                await pair.mine.call.setVideo(video)
                try await eventually("silence without video, then black without audio, for longer than the tolerance") {
                    audio == .off
                        ? seen.frames >= frames + 75 && seen.blackRun >= 60
                        : heard.buffers >= buffers + 125 && heard.silentRun >= 100
                }
                await pair.mine.call.setAudio(.on)
                await pair.mine.call.setVideo(.on)
                try await pair.theirs.seesAndHears(pair.alice.mark)
            }

            try await pair.theirs.call.hold()
            try await eventually("both ends know it, and nothing has come for a while") {
                guard let last = [heard.lastAt, seen.lastAt].compactMap(\.self).max() else { return false }
                return ContinuousClock.now - last > .seconds(2)
            }
            try await pair.theirs.call.unhold()
            try await expectMedia((pair.mine, pair.alice), (pair.theirs, pair.bob))
            try await pair.close()
            for call in [pair.mine.call, pair.theirs.call] {
                #expect(try Self.broken(await call.report()).isEmpty)
                #expect(try Self.unmet(await call.report()).isEmpty)
                #expect(!MediaLines.lines(await call.report()).contains { $0.contains("broken") })
                // Black and silence that were announced do not count.
                let call = try Self.document(await call.report())
                #expect(try call.number("video.received.blackFrames") == 0)
                #expect(try call.number("audio.received.silentMs") < 500)
                #expect(try call.number("video.received.quality.longestStillMs") < 1_000)
            }
        }

        @Test("What an end sends before it knows better, or before its late message arrives, breaks nothing")
        func lateMessages() async throws {
            let server = try await TestServer()
            let signaling = [0, 1].map { _ in HeldSignaling(WebSocketTransport(url: server.url, logger: .quiet)) }
            for signaling in signaling { signaling.release() }
            let alice = try await Station("alice", signaling[0]).prepared()
            let bob = try await Station("bob", signaling[1], width: 240, hertz: 554).prepared()
            let mine = try await alice.call(bob)
            let theirs = try await bob.ring()
            try await theirs.call.accept()
            try await expectMedia((mine, alice), (theirs, bob))
            let seen = try await bob.look(.video)
            await mine.call.setVideo(.muted)
            try await eventually("black for longer than the tolerance") { seen.blackRun >= 60 }
            signaling[1].hold()
            await mine.call.setVideo(.on)
            let changes = seen.changes
            try await eventually("pictures for longer than the tolerance") { seen.changes >= changes + 80 }
            #expect(await theirs.call.peerSends.video == .muted)
            signaling[1].release()
            try await theirs.hears(.peerMediaChanged(MediaState()))

            signaling[0].hold()
            try await theirs.call.hold()
            let frames = seen.frames
            try await eventually("frames that nobody has forbidden yet") { seen.frames >= frames + 80 }
            #expect(try Self.broken(await theirs.call.report()).isEmpty)
            signaling[0].release()
            try await mine.hears(.holdChanged(.remotelyHeld))
            await theirs.call.hangUp()
            try await mine.reaches(.ended)
            for call in [mine.call, theirs.call] { #expect(try Self.broken(await call.report()).isEmpty) }
            for station in [alice, bob] { await station.agent.close() }
        }

        @Test("Muted video that is not black at one end, muted audio that is heard at the other: each names its figure")
        func muted() async throws {
            let pair = try await Talk()
            await pair.mine.call.setVideo(.muted)
            await pair.theirs.call.setAudio(.muted)
            try await expectBroken(
                pair, here: ("audio.received.audibleMsWhileMuted", .audio, .live),
                there: ("video.received.framesWhileMuted", .video, .live))
        }

        @Test("Video that goes on after it was stopped at one end, audio at the other: each end names its figure")
        func off() async throws {
            let pair = try await Talk()
            await pair.mine.call.setVideo(.off)
            await pair.theirs.call.setAudio(.off)
            try await expectBroken(
                pair, here: ("audio.received.rtpPacketsWhileOff", .audio, .live),
                there: ("video.received.rtpPacketsWhileOff", .video, .blank))
        }

        @Test("An end that holds and sends, and one that goes on although it was told: each end names its figure")
        func held() async throws {
            let pair = try await Talk()
            try await pair.mine.call.hold()
            try await expectBroken(
                pair, here: ("audio.received.rtpPacketsWhileHeld", .audio, .blank),
                there: ("video.received.rtpPacketsWhileHeld", .video, .live))
        }

        @Test(
            "An end that sends more than it was asked to: the receiver names the figure, and keeps to its own word",
            arguments: [TrackID.video, .audio])
        func rate(of track: TrackID) async throws {
            let server = try await TestServer()
            let alice = try await Station(
                "alice", at: server.url,
                configure: {
                    if track == .video { $0.media.maxReceiveVideoKbit = 150 } else { $0.media.maxReceiveAudioKbit = 20 }
                }
            ).prepared()
            let bob = try await Station(
                "bob", at: server.url,
                configure: {
                    // Noise uses the whole rate.
                    $0.media.video = .test(.snow, format: VideoFormat(width: 160, height: 80))
                    $0.media.sharesEncoders = false
                }
            ).prepared()
            let mine = try await alice.call(bob)
            let theirs = try await bob.ring()
            try await theirs.call.accept()
            for call in [mine, theirs] { try await call.reaches(.connected) }
            try await eventually("a rate that was not asked for") {
                await bob.force(kbit: track == .video ? 1_000 : 250, of: track)
                return try await !Self.broken(mine.call.report()).isEmpty
            }
            let figure = "\(track).received.aboveMaxRateMs"
            await mine.call.hangUp()
            try await theirs.reaches(.ended)
            #expect(try Self.broken(await mine.call.report()) == [figure])
            #expect(try Self.unmet(await mine.call.report()) == [figure])
            #expect(try Self.broken(await theirs.call.report()).isEmpty)
            for station in [alice, bob] { await station.agent.close() }
        }

        @Test("A program names the expectation that its peer broke, and says so in its text")
        func program() async throws {
            let trio = try await Trio()
            let expected = Self.figures.flatMap { ["--expect", "\($0)==0"] }
            let bob = try await Station("bob", at: trio.url).prepared()
            let alice = try trio.call(["--duration", "10m"] + expected)
            let theirs = try await bob.ring()
            try await theirs.call.accept()
            try await theirs.reaches(.connected)
            await theirs.call.setVideo(.muted)
            func sent() async -> Int { await theirs.call.report().statistics.video?.sent.frames ?? 0 }
            let before = await sent()
            try await eventually("more frames than within the tolerance of mute and end") {
                // Until the gates of the call have changed, which would close them again.
                await bob.force(.live, of: .video)
                return await sent() > before + 120
            }
            await theirs.call.hangUp()
            #expect(try await alice.waitForExit() == 6, "\(alice.errors)")
            let complaints = alice.errors.split(separator: "\n").filter { $0.contains("expected ") }
            #expect(
                complaints.count == 1 && complaints[0].contains("framesWhileMuted == 0, but it is"), "\(alice.errors)"
            )
            #expect(
                alice.output.contains("frames that were not black while its video was muted"), "\(alice.output)")
            await bob.agent.close()
        }

        /// Waits until both ends have found their figure, and checks that they found no other.
        private func expectBroken(
            _ pair: Talk, here: (figure: String, track: TrackID, mode: SendMode),
            there: (figure: String, track: TrackID, mode: SendMode)
        ) async throws {
            let ends = [(pair.mine.call, here.figure), (pair.theirs.call, there.figure)]
            try await eventually("both figures") {
                // Until the gates of the call have changed, which would close them again.
                await pair.alice.force(there.mode, of: there.track)
                await pair.bob.force(here.mode, of: here.track)
                for (call, _) in ends where try Self.broken(await call.report()).isEmpty { return false }
                return true
            }
            for (call, figure) in ends {
                let report = await call.report()
                #expect(try Self.broken(report) == [figure])
                #expect(try Self.unmet(report) == [figure])
                #expect(MediaLines.lines(report).count { $0.contains("broken") } == 1)
            }
            try await pair.close()
            for (call, figure) in ends { #expect(try Self.broken(await call.report()) == [figure], "at the end") }
        }

        private static func document(_ report: CallReport) throws -> [String: Any] {
            let json = try JSONEncoder().encode(CallDocument(report))
            return try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        }

        /// The figures that are not 0.
        private static func broken(_ report: CallReport) throws -> [String] {
            let call = try document(report)
            return try figures.filter { try call.number($0) != 0 }
        }

        /// The figures whose expectation is not met.
        private static func unmet(_ report: CallReport) throws -> [String] {
            let document = ["calls": [try document(report)]]
            return try figures.filter { figure in
                let outcome = try Expectation(parsing: "\(figure)==0").outcome(in: document)
                return outcome.complaint?.contains("expected \(figure) == 0, but it is") == true
            }
        }
    }
}
