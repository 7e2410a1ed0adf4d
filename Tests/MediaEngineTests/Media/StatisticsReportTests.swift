import Foundation
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The statistics report with W3C names") struct StatisticsReportTests {
        @Test("Each stream has its kind and its own values, and the report survives the close")
        func figures() async throws {
            var options = LoopbackCall.Options()
            // On a busy machine even loopback may look slow.
            options.tuning.followsBandwidth = false
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await eventually("a report of the peer") {
                        await !end.peer.statisticsReport().remoteInbound.isEmpty
                    }
                    try await end.waitForFrames(20)
                    let report = await end.peer.statisticsReport()
                    #expect(Set(report.inbound.map(\.kind)) == ["audio", "video"])
                    #expect(Set(report.outbound.map(\.kind)) == ["audio", "video"])
                    for entry in report.inbound {
                        #expect(entry.packetsReceived > 10 && entry.bytesReceived > 500 && entry.packetsLost == 0)
                        #expect(report.codecs.contains { $0.id == entry.codecId && $0.mimeType.hasPrefix(entry.kind) })
                        #expect((entry.kind == "video") == (entry.framesDecoded ?? 0 >= 20))
                        #expect((entry.kind == "audio") == (entry.totalSamplesReceived ?? 0 > 4_800))
                    }
                    let video = try #require(report.inbound.first { $0.kind == "video" })
                    #expect(video.frameWidth == 320 && video.frameHeight == 180)
                    for entry in report.outbound {
                        #expect(
                            entry.packetsSent > 10
                                && entry.targetBitrate == (entry.kind == "video" ? 1_000_000 : 48_000))
                        guard let remoteId = entry.remoteId else { continue }
                        let remote = try #require(report.remoteInbound.first { $0.id == remoteId })
                        #expect(remote.kind == entry.kind && remote.localId == entry.id && remote.packetsLost == 0)
                        #expect(remote.jitter < 1)
                    }
                    // Each stream that one end sends is the one that the other receives.
                    let other = await (end === call.caller ? call.callee : call.caller).peer.statisticsReport()
                    for entry in report.outbound {
                        #expect(other.inbound.first { $0.kind == entry.kind }?.ssrc == entry.ssrc)
                    }
                    #expect(report.candidates.map(\.type) == ["local-candidate", "remote-candidate"])
                    for candidate in report.candidates {
                        #expect(
                            candidate.address == "127.0.0.1" && candidate.candidateType == "host" && candidate.port > 0)
                    }
                    #expect(report.transport?.selectedCandidatePairId == report.candidatePair?.id)
                }
                let last = await call.caller.peer.statisticsReport()
                await call.caller.peer.close()
                let afterwards = await call.caller.peer.statisticsReport()
                #expect(
                    afterwards.inbound.count == 2
                        && afterwards.candidates
                            == last.candidates.map {
                                var candidate = $0
                                candidate.timestamp = afterwards.candidates.first?.timestamp ?? 0
                                return candidate
                            }
                )
            }
        }

        @Test("In JSON every entry has its time, type and id")
        func json() async throws {
            try await withCall { call in
                #expect(await call.caller.peer.statisticsReport() == StatisticsReport())
                try await call.connect()
                try await call.caller.waitForFrames(5)
                let data = try JSONEncoder().encode(await call.caller.peer.statisticsReport())
                let entries = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
                let ids = entries.compactMap { $0["id"] as? String }
                #expect(Set(ids).count == entries.count)
                let types = Set(entries.compactMap { $0["type"] as? String })
                #expect(
                    types.isSuperset(of: [
                        "transport", "candidate-pair", "local-candidate", "codec", "inbound-rtp", "outbound-rtp",
                    ]))
                let now = Date().timeIntervalSince1970 * 1_000
                for entry in entries { #expect(abs((entry["timestamp"] as? Double ?? 0) - now) < 60_000) }
            }
        }
    }
}
