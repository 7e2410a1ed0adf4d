import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The receive gate") struct ReceiveGateTests {
        @Test("Video and audio are decoded but not shown before the gate opens")
        func nothingIsShownBefore() async throws {
            try await withCall { call in
                try await call.connect()
                for end in call.ends { try await end.waitForFrames(30) }
                for end in call.ends {
                    for track in [TrackID.audio, .video] {
                        let received = try await end.received(track)
                        #expect(received.decoded > 0 && received.shown == 0)
                        #expect(end.count(.firstShown(track)) == 0)
                    }
                }
                // One end opens its gate. The other end's gate stays closed.
                #expect(await call.callee.peer.setReceiving(true) == [.audio: 0, .video: 0])
                for track in [TrackID.audio, .video] { try await call.callee.wait(for: .firstShown(track)) }
                try await call.callee.wait("shown frames") { $0.received[.video]?.shown ?? 0 >= 10 }
                #expect(try await call.caller.received(.video).shown == 0)
            }
        }

        @Test("Opening shows the latest frame and audio at once, even if no more arrive")
        func openingShowsTheLatest() async throws {
            try await withCall { call in
                try await call.connect()
                try await call.callee.waitForFrames(5)
                try await call.callee.waitForTone()
                await call.caller.send(.closed)
                // Packets in flight arrive while the other direction brings 15 frames.
                let before = try await call.caller.received(.video).decoded
                try await call.caller.waitForFrames(before + 15)

                #expect(await call.callee.peer.setReceiving(true) == [.audio: 0, .video: 0])
                let statistics = await call.callee.peer.statistics()
                for track in [TrackID.audio, .video] { #expect(statistics.received[track]?.shown == 1) }
                for track in [TrackID.audio, .video] { try await call.callee.wait(for: .firstShown(track)) }
            }
        }

        @Test("Opening returns how much was shown before")
        func openingCountsWhatWasShown() async throws {
            try await withCall { call in
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                try await call.callee.wait("shown frames") { $0.received[.video]?.shown ?? 0 >= 10 }
                let shown = await call.callee.peer.setReceiving(true)
                #expect(shown[.video] ?? 0 >= 10 && shown[.audio] ?? 0 > 0)
                for track in [TrackID.audio, .video] { #expect(call.callee.count(.firstShown(track)) == 1) }
            }
        }

        @Test("Opening before the negotiation or after the close does nothing")
        func openingEarlyIsHarmless() async throws {
            let peer = try await TestEngine.peer()
            #expect(await peer.setReceiving(true) == [:])
            await peer.close()
            #expect(await peer.setReceiving(true) == [:])
        }
    }
}
