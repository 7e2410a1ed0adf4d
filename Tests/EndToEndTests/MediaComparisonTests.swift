import Testing

@testable import CallAgent
@testable import MediaEngine
@testable import callagent_cli

extension EndToEnd {
    /// What `demo` and `load --pair` find wrong with the media of a call.
    @Suite struct MediaComparisonTests {
        /// One end of a call of 10 s without a fault.
        private static func report(_ role: CallRole) -> CallReport {
            let (user, peer) = role == .caller ? ("alice", "bob") : ("bob", "alice")
            var timeline = CallTimeline(start: .now, startedUnixMs: 0)
            timeline.mark(.connected, at: .now)
            var report = CallReport(
                callId: "c", role: role, user: user, peer: peer, media: .audioVideo, state: .ended,
                timeline: timeline, statistics: MediaReport())
            var video = MediaReport.Received(codec: "VP8")
            (video.width, video.height, video.framesReceived, video.framesDropped) = (640, 360, 300, 0)
            (video.decoded, video.distinctFrames, video.seconds) = (300, 300, 10)
            var quality = VideoQuality()
            (quality.framesMarked, quality.framesMissing, quality.framesReordered) = (300, 0, 0)
            video.quality = quality
            report.statistics.video = .init(
                sent: .init(codec: "VP8", width: 640, height: 360, frames: 300), received: video)
            var audio = MediaReport.Received(codec: "OPUS")
            (audio.decoded, audio.toneHz, audio.seconds, audio.audioQuality) = (480_000, 440, 10, AudioQuality())
            report.statistics.audio = .init(sent: .init(codec: "OPUS", frames: 500, toneHz: 440), received: audio)
            return report
        }

        private static func complaints(
            _ damage: (inout CallReport) -> Void = { _ in }, ofCaller: (inout CallReport) -> Void = { _ in }
        ) -> [String] {
            var (caller, callee) = (report(.caller), report(.callee))
            ofCaller(&caller)
            damage(&callee)
            return MediaComparison(caller, callee).complaints
        }

        @Test("A good call has no complaint, nor has one whose end is still on its way")
        func good() {
            #expect(Self.complaints().isEmpty)
            let late = Self.complaints { report in
                report.statistics.video?.received.framesReceived = 290
                report.statistics.video?.received.decoded = 288
            }
            #expect(late.isEmpty)
        }

        @Test("Each fault of the media has its complaint")
        func faults() {
            func expect(
                _ complaint: String, sourceLocation: SourceLocation = #_sourceLocation,
                _ damage: (inout MediaReport) -> Void
            ) {
                let all = Self.complaints { damage(&$0.statistics) }
                #expect(all.contains("alice to bob: \(complaint)"), "\(all)", sourceLocation: sourceLocation)
            }
            expect("no video") { $0.video = nil }
            expect("no audio") { $0.audio = nil }
            expect("the received video has another size than the sent video") { $0.video?.received.width = 320 }
            expect("only 200 of 300 frames arrived") { $0.video?.received.framesReceived = 200 }
            expect("only 200 of 300 frames were decoded") {
                $0.video?.received.framesDropped = 100
                $0.video?.received.decoded = 200
            }
            expect("the video stands still") { $0.video?.received.distinctFrames = 10 }
            expect("100 of 400 captured frames were never decoded") { $0.video?.received.quality?.framesMissing = 100 }
            expect("3 frames came after a later one") { $0.video?.received.quality?.framesReordered = 3 }
            expect("frames were shown before the call was connected") { $0.video?.received.shownBeforeOpening = 1 }
            expect("audio was heard before the call was connected") { $0.audio?.received.shownBeforeOpening = 1 }
            expect("no audio") { $0.audio?.received.decoded = 0 }
            for pitch: Double? in [nil, 880] {
                expect("the audio is not the tone of 440.0 Hz that was sent") { $0.audio?.received.toneHz = pitch }
            }
            expect("the audio was interrupted for 2500 of 10000 ms") {
                $0.audio?.received.audioQuality?.totalGapsMs = 2_500
            }
        }

        @Test("A call that was never connected says why; frames that the sender left out are not missing")
        func exceptions() {
            let unconnected = Self.complaints { report in
                report.timeline = CallTimeline(start: .now, startedUnixMs: 0)
                report.end = CallEnd(reason: .mediaFailed, code: 480, text: "no path", by: .peer)
            }
            #expect(unconnected == ["alice to bob: never connected (mediaFailed no path)"])
            let adapted = Self.complaints {
                $0.statistics.video?.received.quality?.framesMissing = 100
            } ofCaller: {
                $0.records = [CallRecord(milliseconds: 0, kind: .media, action: "videoAdapted 320x180@15")]
            }
            #expect(adapted.isEmpty)
        }
    }
}
