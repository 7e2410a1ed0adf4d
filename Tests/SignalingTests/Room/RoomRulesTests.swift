import CallProtocol
import Foundation
import MediaEngine
import Testing

@testable import CallAgent
@testable import RoomClient

/// The rules of a room that need no server.
struct RoomRulesTests {
    @Test("Each participant has a name of its own as the peer of a call")
    func names() {
        var names = RoomNames(room: "lab", own: "alice")
        func name(_ id: String, _ display: String) -> String {
            names.name(of: RoomParticipant(id: id, displayName: display))
        }
        #expect(name("1", "bob") == "bob")
        #expect(name("2", "bob") == "participant-2")
        #expect(name("1", "renamed") == "bob")
        #expect(name("3", "alice") == "participant-3")
        #expect(name("4", "lab") == "participant-4")
        #expect(name("5", "Bob B.") == "participant-5")
        #expect(name("an id", "") == "participant-1")
        #expect(name("b", "participant-7") == "participant-7")
        #expect(name("7", "") == "participant-2" || name("7", "") != "participant-7")
        #expect(names.id(of: "participant-2") == "2")
        names.remove("1")
        #expect(names.id(of: "bob") == nil)
        #expect(name("9", "bob") == "bob")
        names.removeAll()
        #expect(names.id(of: "bob") == nil)
        // A user may have the name of the room.
        #expect(RoomNames(room: "lab", own: "lab").room != "lab")
        #expect(SignalingLimits.isName(RoomNames(room: "a", own: String(repeating: "a", count: 64)).room))
    }

    @Test("Another path changes the credentials and the version, and removes the candidates")
    func description() throws {
        var description = RoomDescription(FakeMembership.description(1, direction: "sendonly"))
        #expect(MediaState(sentBy: description.text) == MediaState())
        #expect(description.candidates.count == 1)
        #expect(description.kind(ofMid: "0") == .audio && description.kind(ofMid: "1") == .video)
        #expect(description.kind(ofMid: "2") == nil)
        description.restart(
            .init(restart: 2, fragment: "other", password: "anotherPasswordOfTwentyTwo"), version: 7)
        #expect(description.parameters(restart: 5)?.fragment == "other")
        #expect(description.candidates.isEmpty)
        #expect(description.text.contains("o=- 1 7 IN"))
        #expect(description.text.hasPrefix("v=0\r\n") && description.text.hasSuffix("\r\n"))
        #expect(RoomDescription("").parameters(restart: 1) == nil)
        #expect(RoomDescription("a=ice-ufrag:ab\na=ice-pwd:short").parameters(restart: 1) == nil)
        #expect(MediaState(sentBy: "m=video 0 UDP/TLS/RTP/SAVPF 96\nm=audio 9 x 1\na=inactive") == .nothing)
    }

    private func events(_ json: String) throws -> [RoomMembershipEvent] {
        let event = try JSONDecoder().decode(VideoRoomEvent.self, from: Data(json.utf8))
        return JanusMembership.events(event, own: "1")
    }

    @Test("Whether a participant speaks stays as it was while the server does not say")
    func speaking() {
        var former = RoomParticipant(id: "5", displayName: "bob", isSpeaking: true)
        let changed = RoomParticipant(id: "5", displayName: "bob", streams: [.init(mid: "0", kind: .audio)])
        #expect(changed.completed(by: former).isSpeaking == true)
        #expect(changed.completed(by: nil).isSpeaking == nil)
        former.isSpeaking = false
        #expect(changed.completed(by: former).isSpeaking == false)
        let silent = RoomParticipant(id: "5", displayName: "bob", isSpeaking: false)
        #expect(silent.completed(by: RoomParticipant(id: "5", displayName: "bob", isSpeaking: true)) == silent)
    }

    @Test("What Janus reports of a room")
    func reports() throws {
        let streams =
            #"[{"type":"audio","mid":"0"},{"type":"video","mid":"1","moderated":true,"simulcast":true},{"type":"data","mid":"2"}]"#
        let bob = RoomParticipant(
            id: "5", displayName: "bob",
            streams: [.init(mid: "0", kind: .audio), .init(mid: "1", kind: .video, isMuted: true, hasLayers: true)])
        #expect(
            try events(#"{"videoroom":"event","publishers":[{"id":5,"display":"bob","streams":\#(streams)}]}"#)
                == [.present(bob)])
        // What Janus says of a participant that speaks already, with its false value of the stream.
        let speaking = #"[{"type":"audio","mid":"0","talking":false}]"#
        #expect(
            try events(#"{"videoroom":"event","publishers":[{"id":5,"talking":true,"streams":\#(speaking)}]}"#)
                == [
                    .present(
                        RoomParticipant(
                            id: "5", displayName: "", streams: [.init(mid: "0", kind: .audio)], isSpeaking: true))
                ])
        #expect(
            try events(#"{"videoroom":"event","joining":{"id":"five"}}"#)
                == [.present(RoomParticipant(id: "five", displayName: ""))])
        #expect(try events(#"{"videoroom":"event","unpublished":5}"#) == [.unpublished(id: "5")])
        #expect(try events(#"{"videoroom":"event","unpublished":"ok"}"#).isEmpty)
        #expect(try events(#"{"videoroom":"event","leaving":5}"#) == [.left(id: "5", wasKicked: false)])
        #expect(try events(#"{"videoroom":"event","kicked":5}"#) == [.left(id: "5", wasKicked: true)])
        #expect(try events(#"{"videoroom":"talking","id":5}"#) == [.speaking(id: "5", true)])
        #expect(try events(#"{"videoroom":"stopped-talking","id":5}"#) == [.speaking(id: "5", false)])
        #expect(
            try events(#"{"videoroom":"event","id":5,"mid":"0","moderation":"muted"}"#)
                == [.muted(id: "5", mid: "0", true)])
        for json in [#"{"videoroom":"event","leaving":"ok","reason":"kicked"}"#, #"{"videoroom":"destroyed"}"#] {
            guard case .removed? = try events(json).first else { return #expect(Bool(false), "\(json)") }
        }
        #expect(try events(#"{"videoroom":"something"}"#).isEmpty)
        #expect(throws: (any Error).self) { try events(#"{"unpublished":{"id":1}}"#) }
    }

    @Test("Janus takes all feedback of a subscription for feedback about its video")
    func feedback() {
        let audio = "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=ssrc:11 cname:x\r\n"
        let group = "a=ssrc-group:FID 22 33\r\n"
        let video =
            "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:1\r\n\(group)a=ssrc:22 msid:a b\r\na=ssrc:33 cname:x\r\n"
        let answer = JanusAnswer.text("v=0\r\n" + audio + video)
        #expect(
            answer == "v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\n"
                + "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:1\r\n"
                + "a=ssrc-group:FID 22 11\r\na=ssrc:22 cname:callagent\r\na=ssrc:11 cname:callagent\r\n")
        // With one medium there is nothing to find out.
        for alone in [audio, video] { #expect(JanusAnswer.text(alone) == alone) }
        #expect(JanusAnswer.text(video + audio).hasSuffix("a=mid:0\r\n"))
    }
}
