import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The receive gate") struct ReceiveGateTests {
        @Test("Pictures and sound are decoded but not shown before the gate opens")
        func nothingIsShownBefore() async throws {
            try await withCall { call in
                try await call.connect()
                for end in call.ends { try await end.waitForPictures(30) }
                for end in call.ends {
                    for kind in MediaKind.allCases {
                        let received = try await end.received(kind)
                        #expect(received.decoded > 0 && received.shown == 0)
                        #expect(end.count(.firstShown(kind)) == 0)
                    }
                }
                // One end opens; the other one's stays shut.
                #expect(await call.callee.peer.setReceiving(true) == [.audio: 0, .video: 0])
                for kind in MediaKind.allCases { try await call.callee.wait(for: .firstShown(kind)) }
                try await call.callee.wait("shown pictures") { $0.received[.video]?.shown ?? 0 >= 10 }
                #expect(try await call.caller.received(.video).shown == 0)
            }
        }

        @Test("Opening shows the latest picture and sound at once, though no more come")
        func openingShowsTheLatest() async throws {
            try await withCall { call in
                try await call.connect()
                try await call.callee.waitForPictures(5)
                try await call.callee.waitForTone()
                await call.caller.send(.closed)
                // What is still on its way arrives while the other direction brings 15 pictures.
                let before = try await call.caller.received(.video).decoded
                try await call.caller.waitForPictures(before + 15)

                #expect(await call.callee.peer.setReceiving(true) == [.audio: 0, .video: 0])
                let statistics = await call.callee.peer.statistics()
                for kind in MediaKind.allCases { #expect(statistics.received[kind]?.shown == 1) }
                for kind in MediaKind.allCases { try await call.callee.wait(for: .firstShown(kind)) }
            }
        }

        @Test("Opening tells how much had been shown before")
        func openingCountsWhatWasShown() async throws {
            try await withCall { call in
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                try await call.callee.wait("shown pictures") { $0.received[.video]?.shown ?? 0 >= 10 }
                let shown = await call.callee.peer.setReceiving(true)
                #expect(shown[.video] ?? 0 >= 10 && shown[.audio] ?? 0 > 0)
                for kind in MediaKind.allCases { #expect(call.callee.count(.firstShown(kind)) == 1) }
            }
        }

        @Test("Opening before there is anything to open does nothing")
        func openingEarlyIsHarmless() async throws {
            let peer = try await TestEngine.peer()
            #expect(await peer.setReceiving(true) == [:])
            await peer.close()
            #expect(await peer.setReceiving(true) == [:])
        }
    }
}
