import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Packet loss") struct PacketLossTests {
        @Test("Both ends count the same losses, a key frame is requested, and the video moves again")
        func video() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.callerVideo = VideoSource(
                name: "clock", choice: "ball", format: VideoFormat(width: 320, height: 180))
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForFrames(20)
                let loss = PacketLoss(behind: try #require(await call.caller.peer.media?.sending[.video]), every: 10)
                let (worst, latest) = (Shared(0.0), Shared(""))
                try await eventually(
                    "six lost packets, and a report of the peer on them; \(loss.count) are lost; \(latest.value)"
                ) {
                    let remote = await call.caller.peer.statisticsReport().remoteInbound.first
                    worst.update { $0 = max($0, remote?.fractionLost ?? 0) }
                    latest.set("\(remote.debugDescription)")
                    return loss.count >= 6 && worst.value > 0
                }
                loss.end()
                let log = try await ReceivedLog(call.callee)
                let figures = Shared("")
                try await eventually("the same figures at both ends; \(loss.count) are lost; \(figures.value)") {
                    let sent = await call.caller.peer.statisticsReport()
                    let received = await call.callee.peer.statisticsReport()
                    guard let out = sent.outbound.first, let into = received.inbound.first,
                        let remote = sent.remoteInbound.first
                    else { return false }
                    figures.set("\(into) \(out) \(remote)")
                    return into.packetsLost == loss.count && remote.packetsLost == loss.count
                        // The depayloader asks by FIR, the decoder by PLI, if it sees a broken frame before the answer.
                        && into.pliCount + into.firCount > 0 && out.pliCount == into.pliCount
                        && remote.fractionLost == 0
                }
                #expect(worst.value < 0.5, "every tenth packet was lost")
                let audio = log.frames.count
                try await eventually("frames with their numbers") {
                    log.frames.dropFirst(audio).compactMap(\.number).count >= 15
                }
                let numbers = log.frames.dropFirst(audio).compactMap(\.number)
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
            }
        }

        @Test(
            "Error correction of Opus restores the beginning of a beep whose packet is lost")
        func correction() async throws {
            // Short beeps. The distance between them is no multiple of a packet's length.
            let folder = try PipelineFolder([
                "beeps-audio-source.launch": """
                # value caps: format.caps
                audiotestsrc is-live=true wave=ticks freq=440 tick-interval=105000000 sine-periods-per-tick=20 name=source ! capsfilter name=format
                """
            ])
            var broken: [Bool: Int] = [:]
            for isOn in [true, false] {
                var options = LoopbackCall.Options()
                options.kinds = [.audio]
                options.engine = try await Engine.start(pipelineFolder: folder.path)
                options.callerAudio = AudioSource(name: "beeps")
                options.callerAudio.processing = .off
                options.configure = {
                    $0.opus = .stack
                    $0.opus.errorCorrection = isOn ? .always : .never
                }
                try await withCall(options) { call in
                    try await call.connect()
                    let beeps = try await BeepWatch(call.callee)
                    try await eventually("beeps") { beeps.distances.count >= 3 }
                    let loss = PacketLoss(
                        behind: try #require(await call.caller.peer.media?.sending[.audio]), every: 4)
                    beeps.listenAnew()
                    try await eventually("25 beeps") { beeps.distances.count >= 25 }
                    #expect(loss.count > 15)
                    // If the beginning is lost, the beep is late by up to the 20 ms of a packet.
                    broken[isOn] = beeps.distances.count { abs($0 - 0.105) > 0.006 }
                }
            }
            let (with, without) = (try #require(broken[true]), try #require(broken[false]))
            // On an idle machine: 0 with it and 10 without.
            #expect(without >= 4 && with < without / 2, "\(with) of 25 with it, \(without) without")
        }
    }
}
