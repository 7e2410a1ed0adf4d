import Testing

@testable import MediaEngine

@Suite("The limit of key frames that a peer requests") struct KeyFrameLimitTests {
    private let waiting: Shared<[(wait: Duration, work: @Sendable () -> Void)]>
    private let made: Shared<Int>
    private let held: Shared<Bool>
    private let limit: KeyFrameLimit

    init() {
        let (waiting, made) = (Shared<[(wait: Duration, work: @Sendable () -> Void)]>([]), Shared(0))
        let held = Shared(false)
        limit = KeyFrameLimit(interval: .milliseconds(300)) { wait, work in
            waiting.update { $0.append((wait, work)) }
        } hold: {
            held.set($0)
        } make: {
            made.update { $0 += 1 }
        }
        (self.waiting, self.made, self.held) = (waiting, made, held)
    }

    @Test("The first request passes at once, and all others within the interval give one at its end")
    func interval() {
        let start = ClockReading.now
        #expect(limit.admits(at: start))
        for ms in 1...100 { #expect(!limit.admits(at: start + .milliseconds(ms))) }
        #expect(waiting.value.map(\.wait) == [.milliseconds(299)] && made.value == 0)
        waiting.value[0].work()
        #expect(made.value == 1)
        // The delayed key frame counts like a requested one.
        #expect(!limit.admits(at: start + .milliseconds(400)))
        #expect(waiting.value.last?.wait == .milliseconds(200))
        waiting.value[1].work()
        #expect(made.value == 2)
        #expect(limit.admits(at: start + .milliseconds(900)))
        #expect(waiting.value.count == 2)
    }

    @Test("On a full path a request waits until the queue is empty, or for a second")
    func fullPath() {
        let start = ClockReading.now
        limit.setCongested(true, at: start)
        #expect(!limit.admits(at: start) && !limit.admits(at: start + .milliseconds(100)))
        #expect(waiting.value.map(\.wait) == [.seconds(1)] && made.value == 0)
        limit.setCongested(false, at: start + .milliseconds(200))
        #expect(made.value == 1)
        // It has been answered.
        waiting.value[0].work()
        #expect(made.value == 1)
        // Not two within the interval, whatever the queue does.
        limit.setCongested(true, at: start + .milliseconds(300))
        #expect(!limit.admits(at: start + .milliseconds(300)))
        limit.setCongested(false, at: start + .milliseconds(400))
        #expect(made.value == 1)
        waiting.value[1].work()
        #expect(made.value == 2)
        #expect(limit.admits(at: start + .seconds(3)))
        #expect(!held.value)
    }

    @Test(
        "A queue of known length empties while nothing is sent, and requests that cross the key frame give no other one"
    )
    func backlog() {
        let start = ClockReading.now
        limit.setCongested(true, backlog: .milliseconds(350), at: start)
        #expect(!limit.admits(at: start) && held.value)
        #expect(waiting.value.map(\.wait) == [.milliseconds(350)])
        waiting.value[0].work()
        #expect(made.value == 1 && !held.value)
        // Sent before the key frame, which was made at 350 ms, can have arrived.
        #expect(!limit.admits(at: start + .milliseconds(700)) && !held.value)
        #expect(waiting.value.last?.wait == .milliseconds(300))
        limit.setCongested(false, at: start + .milliseconds(800))
        #expect(made.value == 2)
        // It was lost.
        limit.setCongested(true, backlog: .seconds(20), at: start + .seconds(4))
        #expect(!limit.admits(at: start + .seconds(4)) && held.value)
        #expect(waiting.value.last?.wait == .seconds(1))
        limit.setCongested(false, at: start + .milliseconds(4_500))
        #expect(made.value == 3 && !held.value)
    }
}

extension RealPipelines {
    @Suite("A peer that requests key frames") struct KeyFrameRequestTests {
        /// The key frames and all frames that leave an end's encoder from now on.
        private struct Encoded: Sendable {
            var frames = 0
            var keys = 0
        }

        private func watch(_ end: CallEnd) async throws -> Shared<Encoded> {
            let encoded = Shared(Encoded())
            let media = try #require(await end.peer.media)
            let payloader = try #require(media.pipeline.bin.child(madeBy: "rtpvp8pay"))
            try payloader.pad("sink").observe { buffer, _ in
                encoded.update {
                    $0.frames += 1
                    if !buffer.isDelta { $0.keys += 1 }
                }
            }
            return encoded
        }

        @Test("Many requests give one key frame at once, and no more within the interval")
        func flood() async throws {
            var options = LoopbackCall.Options()
            options.configure = { $0.tuning.keyFrameIntervalMs = 60_000 }
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                let encoded = try await watch(call.caller)
                // Like the RTP session for each PLI and FIR that arrives.
                let asked = try #require(await call.caller.peer.media?.sending[.video]?.webrtcSink)
                try await eventually("two seconds of frames") {
                    for _ in 0..<100 { asked.requestKeyFrame() }
                    return encoded.value.frames >= 60
                }
                // A request from the start of the call counts, too.
                let keys = encoded.value.keys
                #expect(keys <= 1)
                // A key frame that this end needs itself does not wait.
                await call.caller.peer.setSending(.closed, of: .video)
                await call.caller.peer.setSending(.live, of: .video)
                try await eventually("a key frame of its own") { encoded.value.keys > keys }
            }
        }

        @Test("Every one of several requests over RTCP is answered")
        func answered() async throws {
            try await withCall { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                let encoded = try await watch(call.caller)
                let track = try #require(await call.callee.peer.media?.receiving[.video])
                for count in 1...3 {
                    track.requestKeyFrame()
                    try await eventually("key frame \(count)") { encoded.value.keys >= count }
                }
            }
        }
    }
}
