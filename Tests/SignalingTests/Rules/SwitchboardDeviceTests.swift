import CallProtocol
import Testing

@testable import SignalingServer

/// Several devices of one user, and resumed sign-ins.
struct SwitchboardDeviceTests {
    private typealias Board = BoardUnderTest
    private var board = BoardUnderTest { $0.devicesPerUser = 3 }

    // MARK: Receivers of messages

    @Test mutating func aMessageGoesToAllDevicesOrToTheOneThatIsNamed() {
        let alice = board.signedIn("alice")
        let (tv, phone) = (board.signedIn("bob", device: "tv"), board.signedIn("bob", device: "phone"))
        #expect(board.received(Board.message("alice", "bob"), on: alice) == [.forward(to: phone), .forward(to: tv)])
        #expect(board.received(Board.message("alice", "bob", toDevice: "tv"), on: alice) == [.forward(to: tv)])
        #expect(Board.fault(board.received(Board.message("alice", "bob", toDevice: "x"), on: alice))?.code == 480)
        #expect(Board.fault(board.received(Board.message("alice", "bob", toDevice: "a b"), on: alice))?.code == 400)
    }

    @Test mutating func aMessageToOnesOwnDevicesIsNotEchoed() {
        let (tv, phone) = (board.signedIn("bob", device: "tv"), board.signedIn("bob", device: "phone"))
        #expect(board.received(Board.message("bob", "bob"), on: tv) == [.forward(to: phone)])
        #expect(Board.fault(board.received(Board.message("bob", "bob", toDevice: "tv"), on: tv))?.code == 480)
    }

    @Test mutating func theDeviceOfTheSenderIsItsOwn() {
        let alice = board.signedIn("alice", device: "tv")
        let bob = board.signedIn("bob")
        #expect(board.received(Board.message("alice", "bob", device: "tv"), on: alice) == [.forward(to: bob)])
        for device in ["main", "", "a b"] {
            let actions = board.received(Board.message("alice", "bob", device: device), on: alice)
            #expect(Board.fault(actions)?.code == 400)
        }
    }

    @Test(arguments: ["ack", "error"])
    func whatIsNeverAnsweredGetsNoError(type: String) {
        var board = board
        let alice = board.signedIn("alice")
        #expect(board.received(Board.message("alice", "nobody", type), on: alice).isEmpty)
    }

    @Test mutating func oneDeviceMoreThanAllowedIsRefused() {
        for device in ["a", "b", "c"] { _ = board.signedIn("bob", device: device) }
        let fourth = board.opened()
        #expect(Board.refusal(board.received(Board.signIn("bob", device: "d"), on: fourth)) == 429)
        #expect(Board.refusal(board.received(Board.signIn("bob", device: "ä"), on: board.opened())) == 400)
    }

    // MARK: Receivers of gone messages

    @Test mutating func eachDeviceThatTakesPartIsTold() {
        let alice = board.signedIn("alice")
        let (tv, phone) = (board.signedIn("bob", device: "tv"), board.signedIn("bob", device: "phone"))
        _ = board.received(Board.message("alice", "bob", "invite"), on: alice)
        // A device that signed in later was not invited.
        _ = board.signedIn("bob", device: "late")
        var copy = board
        #expect(
            Board.gone(copy.closed(alice)) == ["c1 alice/main \(phone.number)", "c1 alice/main \(tv.number)"])
        #expect(Board.gone(board.closed(tv)) == ["c1 bob/tv \(alice.number)"])
        #expect(Board.gone(board.closed(phone)) == ["c1 bob/phone \(alice.number)"])
    }

    @Test mutating func aDeviceThatRefusedIsOutAndTheOthersStay() {
        let alice = board.signedIn("alice")
        let (tv, phone) = (board.signedIn("bob", device: "tv"), board.signedIn("bob", device: "phone"))
        _ = board.received(Board.message("alice", "bob", "invite"), on: alice)
        _ = board.received(Board.message("bob", "alice", "reject"), on: tv)
        #expect(board.closed(tv).isEmpty)
        #expect(Board.gone(board.closed(alice)) == ["c1 alice/main \(phone.number)"])
        #expect(board.closed(phone).isEmpty)
    }

    @Test(arguments: ["cancel", "hangup"])
    func theCallerEndsWithOneDeviceOrWithAll(type: String) {
        var board = board
        let alice = board.signedIn("alice")
        let (tv, phone) = (board.signedIn("bob", device: "tv"), board.signedIn("bob", device: "phone"))
        _ = board.received(Board.message("alice", "bob", "invite"), on: alice)
        _ = board.received(Board.message("alice", "bob", type, toDevice: "tv"), on: alice)
        #expect(board.board.calls.count == 1)
        var copy = board
        #expect(Board.gone(copy.closed(alice)) == ["c1 alice/main \(phone.number)"])
        _ = board.received(Board.message("alice", "bob", type), on: alice)
        #expect(board.board.calls.count == 0)
        #expect(board.closed(tv).isEmpty && board.closed(phone).isEmpty && board.closed(alice).isEmpty)
    }

    @Test mutating func aCancelThatNamesAWinnerTakesTheOthersOutAndLeavesTheWinnerIn() {
        let alice = board.signedIn("alice")
        let (tv, phone) = (board.signedIn("bob", device: "tv"), board.signedIn("bob", device: "phone"))
        _ = board.received(Board.message("alice", "bob", "invite"), on: alice)
        var cancel = Board.message("alice", "bob", "cancel")
        cancel.winner = "tv"
        #expect(board.received(cancel, on: alice) == [.forward(to: phone), .forward(to: tv)])
        #expect(board.closed(phone).isEmpty)
        #expect(board.closed(tv).count == 1, "alice hears that the device which has the call is gone")
    }

    @Test mutating func aCallBelongsToTheDeviceThatInvited() {
        let (tv, phone) = (board.signedIn("alice", device: "tv"), board.signedIn("alice", device: "phone"))
        let bob = board.signedIn("bob")
        _ = board.received(Board.message("alice", "bob", "invite"), on: tv)
        #expect(board.closed(phone).isEmpty)
        #expect(Board.gone(board.closed(tv)) == ["c1 alice/tv \(bob.number)"])
    }

    // MARK: After a restart of the server

    @Test mutating func aQueryWritesACallDownThatTheServerDoesNotKnow() {
        let (alice, bob) = (board.signedIn("alice"), board.signedIn("bob", device: "tv"))
        #expect(
            board.received(Board.message("alice", "bob", "query", toDevice: "tv"), on: alice) == [.forward(to: bob)])
        // The query of the other end is about the same call.
        #expect(board.received(Board.message("bob", "alice", "query"), on: bob) == [.forward(to: alice)])
        #expect(board.board.calls.count == 1)
        #expect(Board.gone(board.closed(bob)) == ["c1 bob/tv \(alice.number)"])
        #expect(board.closed(alice).isEmpty)
        #expect(board.board.calls.count == 0)
    }

    @Test func queriesCountAsCalls() {
        var board = BoardUnderTest {
            $0.callsPerConnection = 2
            $0.callsPerUser = 3
        }
        let (tv, phone) = (board.signedIn("alice", device: "tv"), board.signedIn("alice", device: "phone"))
        _ = board.signedIn("bob")
        func fault(_ call: String, _ type: String, _ connection: ConnectionID) -> Int? {
            Board.fault(board.received(Board.message("alice", "bob", type, call: call), on: connection))?.code
        }
        #expect(fault("c1", "query", tv) == nil)
        #expect(fault("c2", "invite", tv) == nil)
        #expect(fault("c3", "query", tv) == 429)
        #expect(fault("c4", "invite", phone) == nil)
        // The limit of the user is reached before that of the connection.
        #expect(fault("c5", "invite", phone) == 429)
        #expect(fault("c1", "query", tv) == nil)
    }

    @Test mutating func theDevicesOfACallAreBounded() {
        let alice = board.signedIn("alice")
        for number in 0..<100 {
            let bob = board.signedIn("bob", device: "d\(number)")
            _ = board.received(Board.message("alice", "bob", "invite"), on: alice)
            #expect(Board.gone(board.closed(bob)).count == (number < 64 ? 1 : 0))
        }
    }

    // MARK: Resume

    @Test mutating func whoResumesTakesItsOwnPlaceAndNobodyHears() {
        let (alice, bob) = (board.signedIn("alice"), board.signedIn("bob"))
        _ = board.received(Board.message("alice", "bob", "invite"), on: alice)
        _ = board.received(Envelope(version: 1, type: "watch", users: .named(["alice"])), on: bob)
        let again = board.opened()
        let actions = board.received(Board.signIn("alice", resume: "resume-1"), on: again)
        let party = Party(user: "alice", device: "main")
        #expect(
            actions == [
                .close(alice, text: "replaced by a newer sign-in of this device"),
                .send(.signedIn(party, resume: "resume-3", tokenExpiresInMs: nil, unixMs: 5), to: again),
            ])
        #expect(board.closed(alice).isEmpty)
        #expect(board.received(Board.message("bob", "alice"), on: bob) == [.forward(to: again)])
        #expect(Board.gone(board.closed(again)) == ["c1 alice/main \(bob.number)"])
    }

    @Test mutating func aResumeIsGoodForOneDeviceAndOnlyUntilTheNextSignIn() {
        let alice = board.signedIn("alice")
        #expect(Board.refusal(board.received(Board.signIn("alice", resume: "x"), on: board.opened())) == 409)
        _ = board.signedIn("alice", device: "tv")
        #expect(Board.refusal(board.received(Board.signIn("alice", resume: "resume-3"), on: board.opened())) == 409)
        let again = board.opened()
        #expect(
            board.received(Board.signIn("alice", resume: "resume-1"), on: again).first
                == .close(
                    alice, text: "replaced by a newer sign-in of this device"))
        #expect(Board.refusal(board.received(Board.signIn("alice", resume: "resume-1"), on: board.opened())) == 409)
        // The device is not signed in any more, so the sign-in needs no resume.
        _ = board.closed(again)
        _ = board.signedIn("alice")
    }

    @Test func aResumeCannotBeGuessed() {
        let policy = SwitchboardPolicy()
        let resumes = Set((0..<100).map { _ in policy.newResume() })
        #expect(resumes.count == 100)
        #expect(resumes.allSatisfy { $0.utf8.count >= 16 && SignalingLimits.isName($0) })
    }

    // MARK: Ringing

    @Test func theServerSaysRingingWhenItIsTold() {
        var board = BoardUnderTest { $0.announcesRinging = true }
        let (alice, bob) = (board.signedIn("alice"), board.signedIn("bob"))
        var invite = Board.message("alice", "bob", "invite")
        invite.generation = 2
        #expect(
            board.received(invite, on: alice) == [
                .forward(to: bob),
                .send(
                    .ringing(
                        id: "server-1", callId: "c1", from: "bob", to: "alice", generation: 2, unixMs: 5), to: alice),
            ])
        #expect(board.received(Board.message("alice", "bob", "candidate"), on: alice) == [.forward(to: bob)])
        #expect(Board.fault(board.received(Board.message("alice", "x", "invite"), on: alice))?.code == 404)
    }
}
