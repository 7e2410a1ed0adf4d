import CallProtocol
import Testing

@testable import SignalingServer

/// The server's records of ended calls.
struct CallRecordTests {
    private typealias Board = BoardUnderTest

    /// A message in a call from alice's main device to bob's tv and phone: its sender, its type and its receiving device.
    private struct Step {
        var sender: String
        var type: String
        var code: Int?
        var device: String?
        var winner: String?

        init(_ sender: String, _ type: String, _ code: Int? = nil, to device: String? = nil, winner: String? = nil) {
            (self.sender, self.type, self.code, self.device, self.winner) = (sender, type, code, device, winner)
        }
    }

    private static let invite = Step("alice", "invite")
    private static let answered = [
        invite, Step("tv", "accept"), Step("alice", "cancel", 200, winner: "tv"),
    ]
    private static let cases: [(steps: [Step], outcome: CallOutcome, code: Int?, isConnected: Bool)] = [
        (answered + [Step("alice", "hangup", 9900, to: "tv")], .completed, 9900, true),
        (answered + [Step("tv", "hangup", 9900)], .completed, 9900, true),
        (answered + [Step("tv", "hangup", 408)], .failed, 408, true),
        (answered + [Step("tv", "hangup")], .completed, nil, true),
        ([invite, Step("alice", "cancel", 9900)], .cancelled, 9900, false),
        ([invite, Step("alice", "cancel", 487)], .unanswered, 487, false),
        ([invite, Step("alice", "cancel", 200)], .replaced, 200, false),
        ([invite, Step("tv", "reject", 486), Step("phone", "reject", 486)], .busy, 486, false),
        ([invite, Step("tv", "reject", 487), Step("phone", "reject", 487)], .unanswered, 487, false),
        ([invite, Step("tv", "reject", 488), Step("phone", "reject", 9906)], .failed, 9906, false),
        // One device declines for all; the caller cancels the others.
        ([invite, Step("tv", "reject", 603), Step("alice", "cancel", 603, winner: "tv")], .declined, 603, false),
        ([invite, Step("tv", "reject", 603), Step("alice", "cancel", 9900)], .cancelled, 9900, false),
    ]

    @Test(arguments: cases.indices)
    func theOutcomeIsWhatTheMessagesSay(index: Int) throws {
        let (steps, outcome, code, isConnected) = Self.cases[index]
        var board = Board()
        let connections = [
            "alice": board.signedIn("alice"), "tv": board.signedIn("bob", device: "tv"),
            "phone": board.signedIn("bob", device: "phone"),
        ]
        for step in steps {
            #expect(board.board.takeEndedCalls().isEmpty)
            board.now.uptimeMs += 1_000
            board.now.unixMs += 1_000
            let connection = try #require(connections[step.sender])
            let (from, to) = step.sender == "alice" ? ("alice", "bob") : ("bob", "alice")
            var envelope = Board.message(from, to, step.type, toDevice: step.device)
            (envelope.winner, envelope.code) = (step.winner, step.code)
            _ = board.received(envelope, on: connection)
        }
        let calls = board.board.takeEndedCalls()
        let call = try #require(calls.first)
        #expect(calls.count == 1 && board.board.calls.count == 0)
        #expect(call.callId == "c1" && call.caller == Party(user: "alice", device: "main") && call.callee == "bob")
        #expect(call.outcome == outcome && call.code == code)
        #expect(call.started.unixMs == 1_005 && call.ended?.unixMs == board.now.unixMs)
        #expect(call.connectedMs == (isConnected ? (steps.count - 2) * 1_000 : nil))
        #expect(call.calleeDevice == (isConnected ? "tv" : nil))
        #expect(board.board.takeEndedCalls().isEmpty)
    }

    @Test func aCallWhoseCallerVanishesIsGoneAndOneWhoseCalleeVanishesGoesOn() {
        var board = Board()
        let (alice, bob) = (board.signedIn("alice"), board.signedIn("bob"))
        _ = board.received(Board.message("alice", "bob", "invite"), on: alice)
        _ = board.received(Board.message("bob", "alice", "accept"), on: bob)
        _ = board.closed(bob)
        #expect(board.board.takeEndedCalls().isEmpty)
        board.now.uptimeMs += 7
        _ = board.closed(alice)
        let calls = board.board.takeEndedCalls()
        #expect(calls.map(\.outcome) == [.gone] && calls.map(\.connectedMs) == [7])
    }

    @Test func aCallThatTheServerHearsOfLateSaysSo() {
        var board = Board()
        let (alice, bob) = (board.signedIn("alice"), board.signedIn("bob"))
        _ = board.received(Board.message("alice", "bob", "query", toDevice: "main"), on: alice)
        _ = board.received(Board.message("bob", "alice", "hangup"), on: bob)
        let calls = board.board.takeEndedCalls()
        #expect(calls.map(\.isResumed) == [true] && calls.map(\.outcome) == [.completed])
        #expect(calls.map(\.connectedMs) == [nil])
    }

    @Test func aRepeatedInviteIsNoSecondCallAndAStrangersAcceptIsNone() {
        var board = Board()
        let (alice, bob, eve) = (board.signedIn("alice"), board.signedIn("bob"), board.signedIn("eve"))
        for _ in 1...2 { _ = board.received(Board.message("alice", "bob", "invite"), on: alice) }
        _ = board.received(Board.message("eve", "alice", "accept"), on: eve)
        _ = board.received(Board.message("bob", "alice", "reject"), on: bob)
        let calls = board.board.takeEndedCalls()
        #expect(calls.map(\.outcome) == [.declined] && calls.map(\.connectedMs) == [nil])
    }

    @Test(arguments: [
        (#"{"type":"hangup","code":9900}"#, 9_900), (#"{"type":"reject","code":"603"}"#, nil),
        (#"{"type":"cancel","code":4.5}"#, nil), (#"{"type":"cancel","code":1e99}"#, nil),
        (#"{"type":"cancel"}"#, nil),
    ])
    func theCodeOfAnEndIsReadWhenItIsOne(text: String, code: Int?) throws {
        #expect(try #require(Envelope(decoding: text.utf8)).code == code)
    }
}
