import TestServers
import Testing

extension EndToEnd {
    /// A network between the two ends of a call becomes narrow.
    @Suite(.enabled(if: NetworkLab.isPossible, "network namespaces need root, iproute2 and nftables"))
    struct BandwidthTests {
        @Test("A router lets 600 kbit/s through: the video takes less, everything goes on, and it takes more again")
        func narrow() async throws {
            let call = try await LabCall(
                try NetworkLab(hasNAT: false), alice: ["--video", "busy", "--video-rate", "2000"])
            #expect(LabCall.sentVideo(call.alice)["qualityLimitationReason"] as? String == "none")
            try call.lab.narrow(toKbit: 600)
            try await eventually("less video", within: .seconds(30)) {
                let video = LabCall.sentVideo(call.alice)
                return video["targetBitrate"] as? Int ?? .max < 600_000
                    && video["qualityLimitationReason"] as? String == "bandwidth"
            }
            try await call.expectMedia()
            try call.lab.narrow(toKbit: nil)
            try await eventually("more video", within: .seconds(40)) {
                LabCall.sentVideo(call.alice)["targetBitrate"] as? Int ?? 0 > 1_500_000
            }
            try await call.expectMedia()
            try await call.end()
        }

        @Test("A router lets 250 kbit/s through: smaller frames are sent and arrive, and large ones again later")
        func smaller() async throws {
            let call = try await LabCall(
                try NetworkLab(hasNAT: false),
                alice: ["--video", "busy", "--video-size", "1280x720@15", "--video-rate", "2000", "--prefer", "motion"])
            #expect(!call.alice.hasEvent(["event": "adaptation"]))
            try call.lab.narrow(toKbit: 250)
            try await eventually("smaller frames", within: .seconds(40)) {
                adaptations(call.alice).contains { $0["reason"] as? String == "bandwidth" }
                    && LabCall.sentVideo(call.alice)["frameWidth"] as? Int ?? .max < 1_280
            }
            try await call.expectMedia(within: .seconds(40))
            try call.lab.narrow(toKbit: nil)
            try await eventually("large frames", within: .seconds(60)) {
                adaptations(call.alice).last?["reason"] as? String == "recovery"
                    && LabCall.sentVideo(call.alice)["frameWidth"] as? Int == 1_280
            }
            try await call.expectMedia()
            try await call.end()
        }

        private func adaptations(_ end: Program) -> [[String: Any]] {
            end.events.compactMap { $0["adaptation"] as? [String: Any] }
        }
    }
}
