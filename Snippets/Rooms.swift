// A room on a Janus server, and a broadcast that pauses for calls.

import CallAgent
import MediaEngine
import RoomClient

// snippet.join
func visit(_ media: Engine) async throws {
    let janus = try JanusEngine(url: "ws://127.0.0.1:8188/")
    let room = try Room("1234", as: "alice", on: janus, media: media)
    let events = room.events
    try await room.join()
    for await event in events {
        switch event {
        case .receiving(let participant, let call):
            Task {
                try await call.waitUntilConnected()
                print("the first frame of \(participant.displayName)")
            }
        case .left(let participant, _): print("\(participant.displayName) left")
        case .ended(let error): print(error)
        default: break
        }
    }
}
// snippet.end

// snippet.transfer
/// At the end that invites; the other end joins the room that `RoomInvitation(info:)` names, and calls `transfer(_:)`, too.
func grow(_ call: Call, into room: Room) async throws -> Call {
    let invitation = RoomInvitation(server: "ws://127.0.0.1:8188/", room: room.name)
    return try await room.transfer(call, inviting: invitation)
}
// snippet.end

// snippet.pause
func take(_ call: Call, pausing broadcast: Broadcast) async throws {
    // Until the call has ended, viewers see nothing of it.
    await broadcast.pause(for: call)
    try await call.accept()
}
// snippet.end
