import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The check of the peer's certificate") struct FingerprintCheckTests {
        /// Changes the first digit of every `a=fingerprint` in the descriptions of one kind.
        private static func corrupting(_ kind: SessionDescription.Kind)
            -> @Sendable (SessionDescription)
            -> SessionDescription
        {
            { description in
                guard description.kind == kind else { return description }
                let lines = description.sdp.components(of: "\r\n").map { line in
                    guard line.hasPrefix("a=fingerprint:sha-256 ") else { return line }
                    let digits = line.dropFirst("a=fingerprint:sha-256 ".count)
                    return "a=fingerprint:sha-256 \(digits.first == "0" ? "1" : "0")\(digits.dropFirst())"
                }
                return SessionDescription(kind: kind, sdp: lines.joined(separator: "\r\n"))
            }
        }

        @Test(
            "No media or data passes either way when a description names another certificate",
            arguments: [SessionDescription.Kind.offer, .answer], [Codec.vp8, .h264])
        func mismatchStopsEverything(kind: SessionDescription.Kind, codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.videoCodecs = [codec]
            options.rewrite = Self.corrupting(kind)
            options.configure = { $0.allowsDataChannels = true }
            try await withCall(options) { call in
                let channel = try await call.caller.peer.makeDataChannel("secrets")
                let checking = kind == .offer ? call.callee : call.caller
                let misdescribed = kind == .offer ? call.caller : call.callee
                try await call.negotiate()
                for end in call.ends { await end.peer.setReceiving(true) }

                guard case .fingerprintMismatch(let expected, let actual) = try await checking.waitForFailure() else {
                    Issue.record("failed with \(checking.events)")
                    return
                }
                #expect(expected != actual && expected.hasPrefix("sha-256 ") && actual.hasPrefix("sha-256 "))

                // The other end has verified the checking end and sends: a second of its media would have arrived by now.
                try await misdescribed.wait("a second of sent frames") { $0.sent[.video]?.frames ?? 0 >= 30 }
                let statistics = await checking.peer.statistics()
                for track in [TrackID.audio, .video] {
                    let received = try #require(statistics.received[track])
                    #expect(received.arrivals.isEmpty && received.decoded == 0 && received.shown == 0)
                    #expect(statistics.sent[track]?.frames == 0)
                }
                #expect(await misdescribed.arrivals() == 0)
                for end in call.ends {
                    for track in [TrackID.audio, .video] { #expect(end.count(.firstFrame(track)) == 0) }
                }
                #expect(checking.count(.verified) == 0)
                for end in call.ends {
                    #expect(!end.events.contains { if case .dataChannel = $0 { true } else { false } })
                }
                if kind == .answer { #expect(try await inTime("its end") { await channel.waitUntilOpen() } == false) }
                #expect(await channel.state != .open)
                await #expect(throws: MediaError.self) { try await channel.send("the secret") }
                try await inTime("both ends closed") { await call.close() }
            }
        }

        @Test("The same pair connects when the descriptions are not changed", arguments: [Codec.vp8, .h264])
        func rightFingerprintConnects(codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.videoCodecs = [codec]
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForFrames(1)
                    #expect(end.failure == nil)
                }
                #expect(await call.caller.arrivals() > 0)
            }
        }

        @Test("Each connection has its own certificate and names one fingerprint for all its m-lines")
        func connectionsDiffer() async throws {
            var fingerprints: Set<String> = []
            for _ in 1...2 {
                let peer = try await TestEngine.peer()
                let lines = try await peer.createOffer().sdp.components(of: "\r\n")
                let own = Set(lines.filter { $0.hasPrefix("a=fingerprint:") })
                #expect(own.count == 1)
                fingerprints.formUnion(own)
                await peer.close()
            }
            #expect(fingerprints.count == 2)
        }
    }
}
