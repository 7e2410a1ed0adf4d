import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Negotiation") struct NegotiationTests {
        @Test("Candidates that arrive before the description are kept for it")
        func earlyCandidates() async throws {
            let caller = CallEnd(peer: try await TestEngine.peer())
            let callee = CallEnd(peer: try await TestEngine.peer())
            let early = Shared<[IceCandidate]>([])
            caller.follow { candidate in early.update { $0.append(candidate) } }
            callee.follow { try? await caller.peer.addCandidate($0) }
            let offer = try await caller.peer.createOffer()
            try await eventually("the end of the caller's candidates") { early.value.contains(.endOfCandidates) }
            for candidate in early.value { try await callee.peer.addCandidate(candidate) }
            try await caller.peer.setAnswer(try await callee.peer.createAnswer(to: offer))
            for end in [caller, callee] { try await end.wait(for: .verified) }
            await caller.peer.close()
            await callee.peer.close()
        }

        @Test("Candidates in the offer are enough")
        func candidatesInTheOffer() async throws {
            let caller = CallEnd(peer: try await TestEngine.peer(kinds: [.audio]))
            let callee = CallEnd(peer: try await TestEngine.peer(kinds: [.audio]))
            let lines = Shared<[String]>([])
            caller.follow { candidate in lines.update { $0.append("a=\(candidate.candidate)\r\n") } }
            callee.follow { _ in }
            let offer = try await caller.peer.createOffer()
            try await eventually("a candidate and the end of them") { lines.value.count >= 2 }
            let complete = SessionDescription(kind: .offer, sdp: offer.sdp + lines.value.dropLast().joined())
            try await caller.peer.setAnswer(try await callee.peer.createAnswer(to: complete))
            for end in [caller, callee] { try await end.wait(for: .verified) }
            await caller.peer.close()
            await callee.peer.close()
        }

        @Test("A connection negotiates once")
        func once() async throws {
            let peer = try await TestEngine.peer()
            await #expect(throws: MediaError.rejected(operation: "this operation", text: "nothing was negotiated yet"))
            {
                try await peer.setAnswer(SessionDescription(kind: .answer, sdp: SDPSamples.answer))
            }
            let offer = try await peer.createOffer()
            for operation in ["createOffer", "createAnswer"] {
                let expected = MediaError.rejected(
                    operation: operation, text: "this connection has negotiated already")
                await #expect(throws: expected) {
                    _ =
                        operation == "createOffer"
                        ? try await peer.createOffer() : try await peer.createAnswer(to: offer)
                }
            }
            let answer = SessionDescription(kind: .answer, sdp: SDPSamples.answer)
            let other = try await TestEngine.peer()
            let fitting = try await other.createAnswer(to: offer)
            try await peer.setAnswer(fitting)
            await #expect(
                throws: MediaError.rejected(operation: "setAnswer", text: "this offer was answered already")
            ) { try await peer.setAnswer(answer) }
            await peer.close()
            await other.close()
        }

        @Test("An offer without a common codec is refused before anything is built")
        func noCommonCodec() async throws {
            let peer = try await TestEngine.peer(kinds: [.audio, .video], videoCodecs: [.h264])
            let sdp = SDPSamples.offer("packetization-mode=1", "packetization-mode=0")
            await #expect(throws: MediaError.noCommonCodec(media: "video")) {
                try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: sdp))
            }
            // Nothing was built, so another offer may follow.
            let answer = try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: SDPSamples.offer))
            #expect(answer.sdp.contains("a=rtpmap:102 H264/90000"))
            await peer.close()
        }

        @Test("An offered kind without a local track is refused with port 0, and the audio continues")
        func missingTrack() async throws {
            var options = LoopbackCall.Options()
            options.configureCallee = { $0.tracks[.video] = nil }
            let answers = Shared<[String]>([])
            options.rewrite = { description in
                if description.kind == .answer { answers.update { $0.append(description.sdp) } }
                return description
            }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForTone() }
                let lines = try #require(answers.value.first).components(of: "\r\n")
                let media = lines.filter { $0.hasPrefix("m=") }.map { $0.components(of: " ").prefix(2) }
                #expect(media == [["m=audio", "9"], ["m=video", "0"]])
                #expect(lines.contains { $0.hasPrefix("a=group:BUNDLE") && $0.components(of: " ").count == 2 })
                #expect(await call.caller.peer.directions[.video] == .inactive)
                #expect(try await call.caller.sent(.video).frames == 0)
            }
        }

        @Test("A refused video m-line may come first, but an offer needs another one")
        func missingFirst() async throws {
            let peer = try await TestEngine.peer(kinds: [.audio])
            let parts = SDPSamples.offer.components(of: "m=")
            let sdp = ([parts[0], parts[2], parts[1]]).joined(separator: "m=").replacing("BUNDLE 0 1", by: "BUNDLE 1 0")
            let answer = try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: sdp))
            let media = answer.sdp.components(of: "\r\n").filter { $0.hasPrefix("m=") }
            #expect(media.map { $0.components(of: " ").prefix(2) } == [["m=video", "0"], ["m=audio", "9"]])
            await peer.close()
            let deaf = try await TestEngine.peer(kinds: [.audio])
            await #expect(throws: MediaError.invalidSDP(line: nil, text: "no m-line of audio is in use")) {
                let offer = [parts[0], parts[2]].joined(separator: "m=").replacing("BUNDLE 0 1", by: "BUNDLE 1")
                return try await deaf.createAnswer(to: SessionDescription(kind: .offer, sdp: offer))
            }
            await deaf.close()
        }

        @Test(
            "An answer is sendrecv and takes over the payload types of the offer",
            arguments: [
                (SDPSamples.firefox, [[109, 101], [120, 124]]), (SDPSamples.chromium, [[111, 110], [96, 97]]),
                (SDPSamples.offer, [[111], [96]]),
            ])
        func answersBrowsers(sdp: String, payloads: [[Int]]) async throws {
            let peer = try await TestEngine.peer()
            let answer = try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: sdp))
            let read = try RemoteDescription(answer)
            #expect(read.sections.map { $0.formats.map(\.payloadType) } == payloads)
            #expect(read.sections.map(\.direction) == [.sendrecv, .sendrecv])
            #expect(read.sections.allSatisfy { $0.setup == "active" })
            #expect(read.sections.map(\.mid) == (try SDPSamples.read(sdp)).sections.map(\.mid))
            await peer.close()
        }

        @Test(
            "Tracks of one direction are offered and answered so, and media flows that way only",
            arguments: [true, false])
        func oneDirection(callerSends: Bool) async throws {
            let direction = callerSends ? MediaDirection.sendonly : .recvonly
            var options = LoopbackCall.Options()
            options.rewrite = { description in
                #expect(!description.sdp.contains("a=sendrecv"))
                return description
            }
            options.configure = { configuration in
                for track in [TrackID.audio, .video] { configuration.tracks[track]?.direction = direction }
            }
            options.configureCallee = { configuration in
                for track in [TrackID.audio, .video] { configuration.tracks[track]?.direction = .sendrecv }
            }
            try await withCall(options) { call in
                try await call.connect()
                let (sender, receiver) = callerSends ? (call.caller, call.callee) : (call.callee, call.caller)
                try await receiver.waitForTone()
                #expect(await call.caller.peer.directions == [.audio: direction, .video: direction])
                #expect(await call.callee.peer.directions == [.audio: direction.reversed, .video: direction.reversed])
                #expect(await receiver.arrivals() > 0)
                #expect(await sender.arrivals() == 0)
            }
        }

        @Test("What two directions have in common")
        func commonDirection() {
            for direction in MediaDirection.allCases {
                #expect(
                    direction.limited(to: .sendrecv) == direction
                        && MediaDirection.sendrecv.limited(to: direction) == direction)
                #expect(direction.limited(to: .inactive) == .inactive && direction.limited(to: direction) == direction)
            }
            #expect(MediaDirection.sendonly.limited(to: .recvonly) == .inactive)
        }

        @Test("Opus with one or six channels is no common codec")
        func monoOpus() async throws {
            let audio = SDPSamples.offer.components(of: "m=video")[0].replacing("BUNDLE 0 1", by: "BUNDLE 0")
            for encoding in ["opus/48000/1", "opus/48000/6"] {
                let peer = try await TestEngine.peer(kinds: [.audio])
                let sdp = audio.replacing("opus/48000/2", by: encoding)
                await #expect(throws: MediaError.noCommonCodec(media: "audio")) {
                    try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: sdp))
                }
                await peer.close()
            }
        }

        @Test("Malformed, excess and misdirected candidates are refused, and the connection continues")
        func candidateBounds() async throws {
            let peer = try await TestEngine.peer()
            let good = IceCandidate(mLine: 0, candidate: "candidate:1 1 UDP 1 127.0.0.1 9 typ host")
            await #expect(throws: MediaError.self) {
                try await peer.addCandidate(IceCandidate(mLine: 0, candidate: "nonsense"))
            }
            // Before the description arrives, no m-line is known to be wrong.
            try await peer.addCandidate(IceCandidate(mLine: 7, candidate: good.candidate))
            _ = try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: SDPSamples.offer))
            for mLine in [-1, 2, Int.max, Int.min] {
                await #expect(throws: MediaError.invalidCandidate(text: "there is no m-line \(mLine)")) {
                    try await peer.addCandidate(IceCandidate(mLine: mLine, candidate: good.candidate))
                }
            }
            for _ in 6...PeerConnection.maximumCandidates { try await peer.addCandidate(good) }
            await #expect(throws: MediaError.invalidCandidate(text: "the peer sent more than 64")) {
                try await peer.addCandidate(good)
            }
            await peer.close()
        }
    }
}
