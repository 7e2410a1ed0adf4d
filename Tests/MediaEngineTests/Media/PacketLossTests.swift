import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Packets that are lost on their way") struct PacketLossTests {
        @Test("Lost pictures are counted at both ends alike, asked for anew, and pictures move again")
        func video() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.callerVideo = VideoSource(
                name: "clock", choice: "ball", format: VideoFormat(width: 320, height: 180))
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForPictures(20)
                let loss = PacketLoss(behind: try #require(await call.caller.peer.media?.sending[.video]), every: 10)
                let worst = Shared(0.0)
                try await eventually("six lost packets, and a report of the peer on them") {
                    let remote = await call.caller.peer.statisticsReport().remoteInbound.first
                    worst.update { $0 = max($0, remote?.fractionLost ?? 0) }
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
                    return into.packetsLost == loss.count && remote.packetsLost == loss.count && into.pliCount > 0
                        && out.pliCount == into.pliCount && remote.fractionLost == 0
                }
                #expect(worst.value < 0.5, "every tenth packet was lost")
                let sound = log.pictures.count
                try await eventually("pictures with their numbers") {
                    log.pictures.dropFirst(sound).compactMap(\.number).count >= 15
                }
                let numbers = log.pictures.dropFirst(sound).compactMap(\.number)
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
            }
        }
    }
}
