import Testing

@testable import MediaEngine

/// Each test shows that the installed GStreamer still does what the work-around mends; it fails once that is gone.
extension RealPipelines {
    @Suite("What is worked around in webrtcbin") struct WorkaroundTests {
        @Test("UncheckedFingerprint: a pair connects although the fingerprints are wrong")
        func uncheckedFingerprint() async throws {
            let (caller, callee) = (try RawPeer(RawPeer.opus), try RawPeer(RawPeer.opus))
            try await RawPeer.negotiate(caller, callee) { description in
                let lines = description.sdp.components(of: "\r\n").map { line in
                    line.hasPrefix("a=fingerprint:") ? "a=fingerprint:\(SDPSamples.fingerprint)" : line
                }
                return SessionDescription(kind: description.kind, sdp: lines.joined(separator: "\r\n"))
            }
            try await eventually("both connected") { caller.isConnected && callee.isConnected }
            try await eventually("media in spite of it") { caller.packets.value > 5 && callee.packets.value > 5 }
        }

        @Test("SharedCertificate: the calls of a process have one certificate")
        func sharedCertificate() async throws {
            var fingerprints: Set<String> = []
            for _ in 1...2 {
                let peer = try RawPeer(RawPeer.opus)
                try await peer.start()
                fingerprints.formUnion(try await peer.create(.offer).fingerprints)
            }
            #expect(fingerprints.count == 1)
        }

        @Test("SharedCertificate: the fingerprint of a certificate of ours is that of its key as well")
        func fingerprintOfTheKey() async throws {
            let certificate = try DtlsCertificate()
            let peer = try RawPeer(RawPeer.opus, certificate: certificate)
            try await peer.start()
            let offer = try await peer.create(.offer)
            #expect(offer.fingerprints != [certificate.fingerprint.description])
            let corrected = SharedCertificate.correctFingerprint(in: offer, of: certificate)
            #expect(corrected.fingerprints == [certificate.fingerprint.description])
            #expect(corrected.kind == .offer)
            let unchanged = { (text: String) in text.components(of: "\r\n").filter { !$0.hasPrefix("a=fingerprint") } }
            #expect(unchanged(corrected.sdp) == unchanged(offer.sdp))
        }

        @Test(
            "UnsignalledEndOfCandidates: the end of candidates is not told",
            .enabled(if: UnsignalledEndOfCandidates.isNeeded, "this GStreamer tells it"))
        func unsignalledEndOfCandidates() async throws {
            let peer = try RawPeer(RawPeer.opus)
            try await peer.start()
            try await peer.set(try await peer.create(.offer), "local")
            try await eventually("all candidates") { peer.hasGathered }
            #expect(!peer.candidates.value.isEmpty)
            #expect(!peer.candidates.value.contains(""))
        }

        @Test(
            "UnsignalledEndOfCandidates: off where an empty candidate tells it, once and last",
            .enabled(if: !UnsignalledEndOfCandidates.isNeeded, "this GStreamer does not tell it"))
        func signalledEndOfCandidates() async throws {
            let peer = try RawPeer(RawPeer.opus)
            #expect(UnsignalledEndOfCandidates.watch(peer.webrtc) {} == nil)
            try await peer.start()
            try await peer.set(try await peer.create(.offer), "local")
            try await eventually("all candidates") { peer.candidates.value.last == "" }
            #expect(peer.candidates.value.count { $0.isEmpty } == 1 && peer.candidates.value.count > 1)
        }

        @Test("The end of the candidates is told once, whoever tells it to the engine")
        func endOfCandidates() async throws {
            let peer = try await TestEngine.peer(kinds: [.audio, .video])
            let end = CallEnd(peer: peer)
            end.follow { _ in }
            _ = try await peer.createOffer()
            try await end.wait(for: .candidatesGathered(.complete))
            let candidates = end.events.compactMap {
                if case .localCandidate(let candidate) = $0 { candidate } else { nil }
            }
            #expect(candidates.count { $0 == .endOfCandidates } == 1 && candidates.last == .endOfCandidates)
            #expect(candidates.count { $0.candidate.isEmpty } == 1 && candidates.count > 1)
            await peer.close()
        }

        @Test("RtcpTableRace: the session is told the format where it would have to ask, and nowhere else")
        func rtcpTableRace() throws {
            let session = try Element("rtpsession")
            let pad = try session.requestPad("send_rtp_sink")
            try session.setState(.playing)
            defer { try? session.setState(.null) }
            try RtcpTableRace.announce(.opus, payloadType: 111, ssrc: 1, to: session)
            #expect((pad.caps != nil) == RtcpTableRace.isNeeded)
        }

        @Test("TimedEchoReference: a queue stands behind the probe where it is needed, and nowhere else")
        func timedEchoReference() throws {
            let queue = try TimedEchoReference.queue()
            #expect((queue != nil) == TimedEchoReference.isNeeded)
        }

        @Test("SharedAssociation: webrtcbin draws numbers by chance where it is needed, and has its own list where not")
        func sharedAssociation() async throws {
            let (caller, callee, _) = try await Self.pairWithChannel()
            try await RawPeer.negotiate(caller, callee)
            let decoder = try #require(caller.webrtc.child(madeBy: "sctpdec"))
            #expect((decoder.get("automatic-association-id")?.boolValue == true) == !SharedAssociation.isNeeded)
        }

        @Test(
            "FormatParameters: a sprop-stereo that differs is answered with recvonly",
            .enabled(if: FormatParameters.isNeeded, "this GStreamer compares them no more"))
        func spropParameters() async throws {
            var directions: [String] = []
            for parameters in ["sprop-stereo=1", "minptime=10"] {
                let peer = try RawPeer("\(RawPeer.opus) ! application/x-rtp,sprop-stereo=(string)0 ! identity")
                try await peer.start()
                let audio = SDPSamples.offer.components(of: "m=video")[0].replacing("BUNDLE 0 1", by: "BUNDLE 0")
                let sdp = audio.replacing("minptime=10;useinbandfec=1", by: parameters)
                try await peer.set(SessionDescription(kind: .offer, sdp: sdp), "remote")
                let answer = try await peer.create(.answer)
                directions += answer.sdp.components(of: "\r\n").filter { ["a=recvonly", "a=sendrecv"].contains($0) }
            }
            #expect(directions == ["a=recvonly", "a=sendrecv"])
        }

        @Test("PacedSending and SlowFeedback: webrtcbin waits for the clock, and leaves RTCP to a guess")
        func insideWebRTC() async throws {
            let (caller, callee) = (try RawPeer(RawPeer.opus), try RawPeer(RawPeer.opus))
            try await RawPeer.negotiate(caller, callee)
            let clocksync = try #require(caller.webrtc.child(madeBy: "clocksync"))
            #expect(clocksync.get("sync")?.boolValue == true)
            try PacedSending.sendAtOnce(clocksync)
            #expect(clocksync.get("sync")?.boolValue == false)

            let session = try #require(caller.webrtc.child(madeBy: "rtpsession"))
            #expect(session.get("bandwidth")?.doubleValue == 0)
            #expect(session.get("rtcp-min-interval")?.intValue == 5_000_000_000)
            #expect(session.get("probation")?.intValue == 2)
            try SlowFeedback.mend(session, .loopback)
            #expect(session.get("bandwidth")?.doubleValue == 1_000_000)
            #expect(session.get("rtcp-min-interval")?.intValue == 500_000_000)
            #expect(session.get("probation")?.intValue == 0)
        }

        @Test("StalledFastStart: a jitter buffer begins with the latency, and with no fast start")
        func stalledFastStart() throws {
            // The stall itself depends on which thread is first, so only what it is worked around with is looked at.
            let peer = try RawPeer(RawPeer.opus)
            #expect(peer.webrtc.get("latency")?.intValue == 200)
            let jitterBuffer = try Element("rtpjitterbuffer")
            #expect(jitterBuffer.get("faststart-min-packets")?.intValue == 0)
            #expect(jitterBuffer.get("latency")?.intValue == 200)
        }

        @Test("StalledFastStart: the latency is what it is to be once the first packet has passed")
        func latencyIsRestored() async throws {
            let pipeline = try Pipeline(name: "latency", timeBase: .ownStart)
            defer { pipeline.stop() }
            let bin = try Element(
                launch: "\(RawPeer.opus) ! rtpjitterbuffer name=buffer latency=0 ! fakesink sync=false",
                description: "latency")
            pipeline.bin.add(bin)
            let buffer = try #require(bin.child("buffer"))
            try StalledFastStart.restoreLatency(of: buffer, to: 60)
            #expect(buffer.get("latency")?.intValue == 0)
            try pipeline.bin.setState(.playing)
            try await eventually("the latency that was asked for") { buffer.get("latency")?.intValue == 60 }
        }

        /// Two that will have one transport for all, and a channel of the first one's.
        private static func pairWithChannel() async throws -> (RawPeer, RawPeer, NativeDataChannel) {
            let peers = (try RawPeer(RawPeer.opus), try RawPeer(RawPeer.opus))
            for peer in [peers.0, peers.1] { try peer.webrtc.set("bundle-policy", "max-bundle") }
            try await peers.0.start()
            return (peers.0, peers.1, try #require(peers.0.webrtc.makeDataChannel("chat", DataChannelOptions())))
        }

        @Test("EmptyMessage: one ends its data channel; since 1.22.3 the channel does not even get past closing")
        func emptyMessage() async throws {
            let (caller, callee, channel) = try await Self.pairWithChannel()
            try await RawPeer.negotiate(caller, callee)
            let state = { channel.get("ready-state")?.intValue.flatMap(DataChannel.State.init) }
            try await eventually("open") { state() == .open }
            try channel.send(.text(""))
            try await eventually("over") { [.closing, .closed].contains(state()) }
        }

        @Test("UnawaitedData, UnrefusedDataChannel: data for nobody ends the transport")
        func unawaitedData() async throws {
            let (caller, callee, _) = try await Self.pairWithChannel()
            let errors = Shared<[String]>([])
            callee.pipeline.bus.watch { message in
                if case .error(_, _, let debug, _) = message { errors.update { $0.append(debug) } }
            }
            var mid = ""
            try await RawPeer.negotiate(caller, callee) { description in
                guard description.kind == .offer else { return description.acceptingData(mid: mid) }
                mid = description.dataMid ?? ""
                return description.withoutData
            }
            try await eventually("the error; so far \(errors.value)") {
                errors.value.contains { $0.contains("not-linked") }
            }
        }

        @Test("Each is on in the releases that need it, and off in the others")
        func releases() throws {
            try GStreamerLibrary.initialize()
            // Debian 12, a later one of the same branch, Ubuntu 24.04, Debian 13, and the newest.
            let releases = [(22, 0), (22, 3), (24, 2), (26, 2), (28, 5)].map { GStreamerVersion(1, $0, $1) }
            let all: [(any Workaround.Type, [Bool])] = [
                (OrphanedDataChannel.self, [true, false, false, false, false]),
                (RtcpTableRace.self, [true, false, false, false, false]),
                (UnsignalledEndOfCandidates.self, [true, true, false, false, false]),
                (SharedAssociation.self, [true, true, true, true, false]),
                (TimedEchoReference.self, [false, false, true, true, true]),
            ]
            for (workaround, expected) in all {
                #expect(releases.map(workaround.isNeeded(by:)) == expected, "\(workaround)")
                #expect(workaround.isNeeded == workaround.isNeeded(by: GStreamerLibrary.version))
            }
            let always: [any Workaround.Type] = [
                EmptyMessage.self, EndlessGathering.self, FatalMessage.self, FormatParameters.self, PacedSending.self,
                SharedCertificate.self, SlowFeedback.self, StalledFastStart.self, SwappedEmptyMessage.self,
                UnawaitedData.self, UnboundedStreams.self, UncheckedFingerprint.self, UnencryptedTurns.self,
                UnrefusedDataChannel.self,
            ]
            for workaround in always { #expect(releases.allSatisfy(workaround.isNeeded(by:)), "\(workaround)") }
        }
    }
}

extension SessionDescription {
    /// The different values of `a=fingerprint`.
    fileprivate var fingerprints: Set<String> {
        let start = "a=fingerprint:"
        return Set(sdp.components(of: "\r\n").filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) })
    }
}
