import CallAgent
import CallProtocol
import Testing

@testable import RoomClient

/// The rules by which a call goes on in a room.
struct RoomTransferTests {
    private let invitation = RoomInvitation(server: "wss://rooms.example.org/janus", room: "1234", pin: "12 \"34")

    private func isDone(_ transfer: RoomTransfer) -> Bool { if case .success = transfer.result { true } else { false } }

    private func error(_ transfer: RoomTransfer) -> RoomError? {
        if case .failure(let error) = transfer.result { error } else { nil }
    }

    @Test("Two ends find each other, whichever is late, and hang up only when both receive each other")
    func bothOrders() {
        var (inviter, invited) = (RoomTransfer(as: "1", inviting: invitation), RoomTransfer(as: "2", inviting: nil))
        #expect(inviter.handle(.accepted) == [.send(.invitation(invitation)), .send(.joined(participant: "1"))])
        // The invited end was not there yet, and missed it.
        #expect(invited.handle(.accepted) == [.send(.joined(participant: "2"))])
        #expect(
            inviter.handle(.message(.joined(participant: "2")))
                == [.send(.joined(participant: "1")), .await(participant: "2")])
        #expect(
            invited.handle(.message(.joined(participant: "1")))
                == [.send(.joined(participant: "2")), .await(participant: "1")])
        #expect(inviter.handle(.message(.joined(participant: "2"))).isEmpty)
        #expect(invited.handle(.receiving) == [.silenceCall, .send(.receives)])
        #expect(!isDone(invited))
        #expect(inviter.handle(.message(.receives)).isEmpty)
        #expect(inviter.handle(.receiving) == [.silenceCall, .send(.receives), .hangUp])
        #expect(isDone(inviter))
        #expect(invited.handle(.message(.receives)) == [.hangUp])
        #expect(isDone(invited))
        for event in [RoomTransfer.Event.expired, .receiving, .accepted, .message(.refused(text: ""))] {
            #expect(inviter.handle(event).isEmpty)
        }
        #expect(isDone(inviter))
    }

    @Test("An end that does not know yet that the other one receives it goes on when the call ends")
    func endedByThePeer() {
        var transfer = RoomTransfer(as: "1", inviting: nil)
        _ = transfer.handle(.accepted)
        _ = transfer.handle(.message(.joined(participant: "2")))
        _ = transfer.handle(.receiving)
        #expect(transfer.handle(.callEnded(CallEnd(reason: .remoteHangup, by: .peer))).isEmpty)
        #expect(isDone(transfer))
    }

    @Test("A transfer that fails restores the audio of the call if the room had it")
    func failures() {
        var transfer = RoomTransfer(as: "1", inviting: invitation)
        _ = transfer.handle(.accepted)
        #expect(transfer.handle(.expired).isEmpty)
        #expect(error(transfer) == .notTransferred(text: "the peer did not join"))

        transfer = RoomTransfer(as: "1", inviting: nil)
        _ = transfer.handle(.message(.joined(participant: "2")))
        #expect(transfer.handle(.expired).isEmpty)
        #expect(error(transfer) == .notTransferred(text: "the peer is not received there"))

        transfer = RoomTransfer(as: "1", inviting: nil)
        _ = transfer.handle(.message(.joined(participant: "2")))
        _ = transfer.handle(.receiving)
        #expect(transfer.handle(.message(.refused(text: "full"))) == [.restoreCall])
        #expect(error(transfer) == .notTransferred(text: "full"))

        transfer = RoomTransfer(as: "1", inviting: nil)
        let end = CallEnd(reason: .mediaLost, by: .local)
        #expect(transfer.handle(.callEnded(end)).isEmpty)
        #expect(error(transfer) == .call(.ended(end)))
    }

    @Test("Messages are texts that come back as they were")
    func messages() {
        let all: [RoomTransferMessage] = [
            .invitation(invitation), .invitation(RoomInvitation(server: "ws://h/", room: "a")),
            .joined(participant: "4711"), .receives, .refused(text: "no \u{1F600}"),
        ]
        for message in all {
            #expect(RoomTransferMessage(message.content) == message)
            #expect(RoomInvitation.isTransfer(info: message.content))
        }
        #expect(RoomTransferMessage.receives.content == #"{"room":{"receives":true}}"#)
        #expect(RoomInvitation(info: all[0].content) == invitation)
        #expect(RoomInvitation(info: all[2].content) == nil)
        #expect(RoomInvitation(extensionData: invitation.extensionData) == invitation)
        var open = invitation
        open.pin = nil
        #expect(RoomInvitation(info: RoomInvitation.withoutPIN(info: all[0].content)) == open)
        #expect(RoomInvitation.withoutPIN(info: "hello") == "hello")
        let data = RoomInvitation.withoutPIN(invitation.extensionData.merging(["ticket": "7"]) { $1 })
        #expect(RoomInvitation(extensionData: data) == open && data["ticket"] == "7")
        let longest = RoomTransferMessage.refused(text: String(repeating: "\"", count: 100_000)).content
        #expect(longest.utf8.count <= SignalingLimits.infoBytes)
    }

    @Test(
        "Other texts are no part of a transfer",
        arguments: [
            "", "hello", "{}", "[]", #"{"room":"lab"}"#, #"{"room":{}}"#, #"{"room":{"receives":false}}"#,
            #"{"room":{"joined":7}}"#, #"{"room":{"invitation":{"server":"ws://h/"}}}"#,
            #"{"room":{"invitation":{"server":"ws://h/","room":"a b"}}}"#, String(repeating: "[", count: 4_096),
        ])
    func others(_ text: String) {
        #expect(RoomTransferMessage(text) == nil)
        #expect(RoomInvitation(info: text) == nil)
        #expect(RoomInvitation(extensionData: ["room": text]) == nil)
    }
}
