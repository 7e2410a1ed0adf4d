import Testing

@testable import CallAgent

/// The history of long calls.
@Suite("The history of a call") struct HistoryTests {
    @Test("Of too many entries the first and the last ones are kept, of too many warnings the first ones")
    func bounded() {
        var history = CallHistory()
        for number in 0..<600 {
            history.add(CallRecord(milliseconds: Double(number), kind: .received, action: "info"))
        }
        let half = CallHistory.maximumRecords / 2
        let kept = Array(0..<half) + Array((600 - half)..<600)
        #expect(history.records.map { Int($0.milliseconds) } == kept && history.leftOut == 88)
        for number in 0..<100 { history.add(warning: "\(number)") }
        #expect(history.warnings == (0..<64).map(String.init))
    }

    @Test("A recording that fails is in the report with its first cause, and the call goes on")
    func recordingFault() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob")
            try signaling.deliver(.accept(sdp: "answer"), call: call.id)
            try await alice.session().emit(
                .verified, .firstVideoFrame, .recordingFailed("full disk"), .recordingFailed("slow disk"))
            try await call.reaches(.connected)
            try await eventually("both warnings") { await call.report().warnings == ["full disk", "slow disk"] }
            #expect(await call.report().recordingFault == "full disk")
        }
    }

    @Test("A call with very many messages has its end in the report, and no questions whether the peer is there")
    func end() async throws {
        try await withParties { alice, bob in
            let mine = try await alice.agent.call("bob")
            let theirs = try await bob.nextCall()
            for number in 0..<600 { try await mine.send(info: "\(number)") }
            try await eventually("the last one") { await theirs.report().recordsLeftOut > 80 }
            await mine.process(.received(.query, generation: 0, device: nil))
            await mine.hangUp()
            let (near, far) = (await mine.report(), await theirs.report())
            #expect(near.records.last { $0.kind == .user }?.action == "hangUp")
            #expect(near.records.count == CallHistory.maximumRecords && near.recordsLeftOut > 600 - 512)
            #expect(!near.records.contains { ["query", "status"].contains($0.action) })
            #expect(far.records.contains { $0.action == "invite" })
        }
    }
}
