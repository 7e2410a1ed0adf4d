import Testing

@testable import CallAgent

extension EndToEnd {
    /// Three devices of bob ring: what each one does, and the events at the others.
    @Suite struct DevicesOfOneUserTests {
        /// A call from alice that rings at all devices.
        private struct Ringing {
            let server: TestServer
            let alice: Station
            let devices: [Station]
            let mine: FollowedCall
            let theirs: [FollowedCall]

            init() async throws {
                let server = try await TestServer()
                self.server = server
                alice = try await Station("alice", at: server.url, hertz: 440).prepared()
                var devices: [Station] = []
                for number in 1...3 {
                    let width = 224 + 16 * number
                    devices.append(
                        try await Station(
                            "bob", at: server.url, device: "d\(number)", width: width, hertz: 500 + 50 * Double(number)
                        ).prepared())
                }
                self.devices = devices
                mine = FollowedCall(try await alice.agent.call("bob"))
                var theirs: [FollowedCall] = []
                for device in devices { theirs.append(try await device.ring()) }
                self.theirs = theirs
                for number in 1...3 { try await mine.hears(.deviceRings("d\(number)")) }
            }

            /// The device whose early answer alice used.
            func taken() async throws -> Int {
                let call = mine.call
                try await eventually("alice took an answer") { await call.machine.current.device != nil }
                let name = await call.machine.current.device
                return try #require(["d1", "d2", "d3"].firstIndex(of: name))
            }

            func close() async {
                for station in [alice] + devices { await station.agent.close() }
            }
        }

        @Test(
            "The device that accepts gets the call, with video and audio, also if alice used another early answer",
            arguments: [true, false])
        func accepted(byTaken: Bool) async throws {
            let ringing = try await Ringing()
            let winner = (try await ringing.taken() + (byTaken ? 0 : 1)) % 3
            try await ringing.theirs[winner].call.accept()
            for number in 0..<3 where number != winner { try await ringing.theirs[number].ends(.answeredElsewhere) }
            for call in [ringing.mine, ringing.theirs[winner]] { try await call.reaches(.connected) }
            try await expectMedia((ringing.mine, ringing.alice), (ringing.theirs[winner], ringing.devices[winner]))
            for number in 0..<3 where number != winner {
                #expect(!ringing.theirs[number].states.contains(.connected))
                #expect(await ringing.theirs[number].call.report().statistics.video?.received.shown ?? 0 == 0)
            }
            await ringing.mine.call.hangUp()
            try await ringing.theirs[winner].ends(.remoteHangup)
            await ringing.close()
        }

        @Test("One device declines for its user: the others stop, and alice gets the reject")
        func declined() async throws {
            let ringing = try await Ringing()
            try await ringing.theirs[1].call.reject(text: "not today")
            try await ringing.theirs[1].ends(.localRejected)
            for number in [0, 2] { try await ringing.theirs[number].ends(.declinedElsewhere) }
            try await ringing.mine.ends(.remoteRejected)
            let end = await ringing.mine.call.end
            #expect(end?.code == 603 && end?.text == "not today")
            await ringing.close()
        }

        @Test("One device is busy, and another one accepts the call")
        func busy() async throws {
            let ringing = try await Ringing()
            try await ringing.theirs[0].call.reject(code: 486, text: "busy")
            try await ringing.theirs[0].ends(.localRejected)
            try await ringing.theirs[2].call.accept()
            try await ringing.theirs[1].ends(.answeredElsewhere)
            for call in [ringing.mine, ringing.theirs[2]] { try await call.reaches(.connected) }
            try await expectMedia((ringing.mine, ringing.alice), (ringing.theirs[2], ringing.devices[2]))
            await ringing.theirs[2].call.hangUp()
            try await ringing.mine.ends(.remoteHangup)
            await ringing.close()
        }

        @Test("Two devices accept at the same moment: one gets the call, and the other is notified")
        func race() async throws {
            let ringing = try await Ringing()
            async let first: Void = ringing.theirs[0].call.accept()
            async let second: Void = ringing.theirs[1].call.accept()
            _ = try await (first, second)
            try await ringing.mine.reaches(.connected)
            let name = try #require(await ringing.mine.call.machine.peerDevice)
            let winner = try #require(["d1", "d2"].firstIndex(of: name))
            try await ringing.theirs[1 - winner].ends(.answeredElsewhere)
            try await ringing.theirs[2].ends(.answeredElsewhere)
            try await ringing.theirs[winner].reaches(.connected)
            try await expectMedia((ringing.mine, ringing.alice), (ringing.theirs[winner], ringing.devices[winner]))
            await ringing.mine.call.hangUp()
            try await ringing.theirs[winner].ends(.remoteHangup)
            await ringing.close()
        }
    }
}
