import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Peers whose offers and answers differ from ours") struct ForeignPeerTests {
        /// A call whose offer has these directions, audio first.
        private static func options(_ directions: [MediaDirection]) -> LoopbackCall.Options {
            var options = LoopbackCall.Options()
            // Sources that no other test's call can hold open.
            options.calleeVideo = .test(.ball, format: VideoFormat(width: 192, height: 108))
            options.callerVideo = .test(.ball, format: VideoFormat(width: 208, height: 112))
            options.rewrite = { description in
                guard description.kind == .offer else { return description }
                var local = LocalDescription(description)
                local.direct(directions)
                return local.description
            }
            return options
        }

        @Test(
            "Nothing is sent that the offer does not accept, and the answer says so",
            arguments: [
                [MediaDirection.sendonly, .sendonly], [.recvonly, .recvonly], [.sendrecv, .sendonly],
                [.inactive, .sendrecv], [.recvonly, .inactive],
            ])
        func directions(offered: [MediaDirection]) async throws {
            try await withCall(Self.options(offered)) { call in
                try await call.connect()
                let expected = Dictionary(uniqueKeysWithValues: zip([TrackID.audio, .video], offered))
                for (track, direction) in expected {
                    #expect(await call.callee.peer.directions[track] == direction.reversed)
                    #expect(await call.caller.peer.directions[track] == direction)
                    for (end, other, mine) in [
                        (call.caller, call.callee, direction), (call.callee, call.caller, direction.reversed),
                    ] where mine.sends {
                        if track == .audio { try await other.waitForTone() } else { try await other.waitForFrames(10) }
                        _ = end
                    }
                }
                // RTCP has to keep the connection alive for longer than the silence limit.
                let start = ContinuousClock.now
                try await eventually("longer than the silence limit") {
                    ContinuousClock.now - start > .milliseconds(2_500)
                }
                for end in call.ends { #expect(end.count(.interrupted) == 0 && end.failure == nil) }
                for (track, direction) in expected {
                    if !direction.sends { #expect(try await call.callee.received(track).arrivals.isEmpty) }
                    if !direction.receives { #expect(try await call.caller.received(track).arrivals.isEmpty) }
                }
                // A source that the peer does not receive is not open.
                #expect(try await call.capture(.caller, .video).isOpen == offered[1].sends)
                #expect(try await call.capture(.callee, .video).isOpen == offered[1].receives)
            }
        }

        @Test("An m-line for data is refused in any place, and the other media flows", arguments: 0...2)
        func dataChannel(place: Int) async throws {
            let answers = Shared<[SessionDescription]>([])
            let section = RefusedSection(
                index: place, media: "application", transport: "UDP/DTLS/SCTP", formats: "webrtc-datachannel", mid: "d")
            var options = LoopbackCall.Options()
            options.rewrite = { description in
                guard description.kind == .offer else {
                    // Like a browser, which expects one m-line in the answer for each of the offer.
                    answers.update { $0.append(description) }
                    var parts = description.sdp.components(of: "m=")
                    parts.remove(at: place + 1)
                    return SessionDescription(kind: .answer, sdp: parts.joined(separator: "m="))
                }
                var local = LocalDescription(description)
                local.insert([section])
                let sdp = local.description.sdp.replacing("m=application 0", by: "m=application 9")
                return SessionDescription(kind: .offer, sdp: sdp.replacing("BUNDLE ", by: "BUNDLE d "))
            }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForFrames(5)
                    try await end.waitForTone()
                }
                let media = try #require(answers.value.first).sdp.components(of: "\r\n").filter { $0.hasPrefix("m=") }
                #expect(media.count == 3)
                #expect(media[place] == "m=application 0 UDP/DTLS/SCTP webrtc-datachannel")
                let group = answers.value[0].sdp.components(of: "\r\n").first { $0.hasPrefix("a=group:BUNDLE") }
                #expect(group?.components(of: " ").contains("d") == false)
                for case .localCandidate(let candidate) in call.callee.events where candidate != .endOfCandidates {
                    #expect(candidate.mLine != place)
                }
            }
        }

        @Test("An answer that refuses the video leaves the audio, and our camera closes")
        func refusedFrame() async throws {
            var options = LoopbackCall.Options()
            options.callerVideo = .test(.ball, format: VideoFormat(width: 224, height: 112))
            options.rewrite = { description in
                guard description.kind == .answer else { return description }
                let parts = description.sdp.replacing("m=video 9", by: "m=video 0").components(of: "m=video")
                let mid = parts[1].components(of: "\r\n").first { $0.hasPrefix("a=mid:") } ?? ""
                let first = parts[1].components(of: "\r\n")[0]
                let group = parts[0].components(of: "\r\n").first { $0.hasPrefix("a=group:") } ?? ""
                let session = parts[0].replacing(group, by: group.components(of: " ").prefix(2).joined(separator: " "))
                return SessionDescription(
                    kind: .answer, sdp: session + "m=video\(first)\r\nc=IN IP4 0.0.0.0\r\n\(mid)\r\na=inactive\r\n")
            }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForTone() }
                #expect(await call.caller.peer.directions == [.audio: .sendrecv, .video: .inactive])
                #expect(try await call.callee.received(.video).arrivals.isEmpty)
                try await eventually("the camera closes") { try await !call.capture(.caller, .video).isOpen }
            }
        }

        @Test("An answer that refuses every m-line is an error")
        func refusedAll() async throws {
            let peer = try await TestEngine.peer()
            let offer = try await peer.createOffer()
            let sdp = offer.sdp.replacing(" 9 UDP", by: " 0 UDP").replacing("a=bundle-only\r\n", by: "")
            await #expect(throws: MediaError.invalidSDP(line: nil, text: "no m-line of audio or video is in use")) {
                try await peer.setAnswer(SessionDescription(kind: .answer, sdp: sdp))
            }
            await peer.close()
        }

        @Test("The answer to a browser's whole offer keeps the order of its m-lines", arguments: [SDPSamples.safari])
        func safari(sdp: String) async throws {
            let peer = try await TestEngine.peer(videoCodecs: [.vp8])
            let answer = try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: sdp))
            let media = answer.sdp.components(of: "\r\n").filter { $0.hasPrefix("m=") }
            let ports = media.map { $0.components(of: " ")[1] }
            #expect(media.map { $0.components(of: " ")[0] } == ["m=application", "m=audio", "m=video", "m=video"])
            #expect(ports == ["0", "9", "9", "0"])
            await peer.close()
        }
    }
}
