import CallProtocol
import Testing

@testable import SignalingServer

struct SwitchboardOrderTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func anyOrderOfFactsKeepsTheRules(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var board = BoardUnderTest {
            $0.callsPerConnection = 3
            $0.rememberedUsers = 5
            $0.devicesPerUser = 2
            $0.messagesPerSecond = 1_000_000
        }
        var open: [ConnectionID] = []
        var parties: [ConnectionID: Party] = [:]
        let names = ["a", "b", "c", "d"]
        for _ in 0..<2_000 {
            board.now.uptimeMs += 1
            let name = names.randomElement(using: &generator) ?? "a"
            let device = ["x", "y", "z", nil].randomElement(using: &generator) ?? nil
            let connection = open.randomElement(using: &generator)
            var actions: [SwitchboardAction] = []
            switch (Int.random(in: 0..<10, using: &generator), connection) {
            case (0, _), (_, nil): open.append(board.opened())
            case (1, let connection?):
                actions = board.closed(connection)
                open.removeAll { $0 == connection }
                parties[connection] = nil
            case (2, let connection?): actions = board.signInTimedOut(connection)
            case (3, let connection?):
                let resume =
                    Bool.random(using: &generator) ? "resume-\(Int.random(in: 1...50, using: &generator))" : nil
                actions = board.received(
                    BoardUnderTest.signIn(name, device: device, resume: resume), on: connection)
            case (4, let connection?):
                actions = board.received(
                    Envelope(version: 1, type: "watch", users: device == nil ? .everybody : .named([name])),
                    on: connection)
            case (_, let connection?):
                let types = ["invite", "query", "reject", "cancel", "hangup", "error", "ack", "ringing"]
                let from = Bool.random(using: &generator) ? parties[connection]?.user ?? name : name
                actions = board.received(
                    BoardUnderTest.message(
                        from, name, types.randomElement(using: &generator) ?? "",
                        call: "c\(Int.random(in: 0..<5, using: &generator))", toDevice: device), on: connection)
            }
            for action in actions {
                switch action {
                case .send(.signedIn(let party, _, _, _, _), let receiver):
                    #expect(!parties.values.contains(party), "seed \(seed)")
                    parties[receiver] = party
                case .send(.refused, let receiver): #expect(parties[receiver] == nil, "seed \(seed)")
                case .forward(let receiver), .send(_, let receiver):
                    #expect(parties[receiver] != nil, "seed \(seed)")
                    #expect(action != .forward(to: connection ?? receiver), "seed \(seed)")
                // The connection was refused or replaced.
                case .close(let receiver, _), .throwOut(let receiver, _): parties[receiver] = nil
                case .schedule, .enterRelay, .relay, .watchAtRelay:
                    Issue.record("nothing has a time here, and there is no relay: \(action)")
                }
            }
        }
        for connection in open { _ = board.closed(connection) }
        #expect(board.board.calls.count == 0 && board.board.devices.isEmpty)
    }
}
