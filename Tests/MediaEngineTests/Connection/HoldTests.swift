import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Hold, and ends without a camera") struct HoldTests {
        @Test("A held call sends and shows nothing, is not interrupted, and resumes")
        func hold() async throws {
            try await withCall { call in
                try await call.connect()
                for end in call.ends { await end.peer.setReceiving(true) }
                for end in call.ends { try await end.wait("frames") { $0.received[.video]?.shown ?? 0 >= 10 } }
                for _ in 1...2 {
                    // One end holds: it closes both directions.
                    await call.caller.send(.closed)
                    await call.caller.peer.setReceiving(false)
                    let decoded = try await call.caller.received(.video).decoded
                    let shown = try await call.caller.received(.video).shown
                    try await call.caller.waitForFrames(decoded + 75)
                    #expect(try await call.caller.received(.video).shown <= shown + 1)
                    #expect(call.callee.count(.interrupted) == 0)

                    await call.caller.send(.live)
                    await call.caller.peer.setReceiving(true)
                    try await call.caller.wait("shown frames") { $0.received[.video]?.shown ?? 0 >= shown + 20 }
                    try await call.callee.waitForMoreFrames(10)
                }
                for track in [TrackID.audio, .video] { #expect(call.caller.count(.firstShown(track)) == 1) }
            }
        }

        @Test("A call that both ends held resumes at both")
        func doubleHold() async throws {
            try await withCall { call in
                try await call.connect()
                for end in call.ends {
                    await end.peer.setReceiving(true)
                    try await end.waitForFrames(5)
                }
                for end in call.ends {
                    await end.send(.closed)
                    await end.peer.setReceiving(false)
                }
                let start = ContinuousClock.now
                try await eventually("longer than the silence limit") {
                    ContinuousClock.now - start > .milliseconds(2_500)
                }
                for end in call.ends { #expect(end.count(.interrupted) == 0) }
                for end in call.ends {
                    let shown = try await end.received(.video).shown
                    await end.peer.setReceiving(true)
                    await (end === call.caller ? call.callee : call.caller).send(.live)
                    try await end.wait("shown frames") { $0.received[.video]?.shown ?? 0 >= shown + 10 }
                }
            }
        }

        @Test("Receiving that is turned on before the negotiation takes effect after it")
        func receivingBeforeNegotiation() async throws {
            try await withCall { call in
                #expect(await call.callee.peer.setReceiving(true) == [:])
                try await call.connect()
                for track in [TrackID.audio, .video] { try await call.callee.wait(for: .firstShown(track)) }
                #expect(call.caller.count(.firstShown(.video)) == 0)
            }
        }

        @Test(
            "An end without sources sees and hears the other one, and sends only reports",
            arguments: [true, false])
        func withoutSources(isCaller: Bool) async throws {
            var options = LoopbackCall.Options()
            options.callerHasSources = !isCaller
            options.calleeHasSources = isCaller
            try await withCall(options) { call in
                try await call.connect()
                let (listener, speaker) = isCaller ? (call.caller, call.callee) : (call.callee, call.caller)
                for end in call.ends { await end.peer.setReceiving(true) }
                try await listener.waitForTone()
                try await listener.waitForFrames(100)
                #expect(try await listener.received(.video).distinctFrames ?? 0 > 50)
                #expect(await speaker.arrivals() == 0)
                for end in call.ends { #expect(end.count(.interrupted) == 0) }
                // Its m-lines have the same order and direction as in any call.
                for mode in SendMode.allCases { await listener.send(mode) }
                try await listener.waitForMoreFrames(5)
                #expect(await speaker.arrivals() == 0)
            }
        }
    }
}
