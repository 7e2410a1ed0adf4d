import Foundation
import NIOCore
import NIOWebSocket
import Testing

@testable import RoomClient

/// The client of Janus beside a server that answers what a test wants.
struct JanusSessionTests {
    /// Answers the requests of one connection: `answers` has what to send for each verb; `@` stands for the transaction.
    private static func serve(_ server: FakeServer, _ answers: [String: [String]]) -> Task<Void, any Error> {
        Task {
            guard let connection = try await server.connections.next() else { return }
            while let frame = try await connection.next(.text) {
                let fields =
                    try JSONSerialization.jsonObject(with: Data(frame.data.readableBytesView)) as? [String: Any]
                let body = fields?["body"] as? [String: Any]
                let verb = (body?["request"] ?? fields?["janus"]) as? String ?? ""
                for answer in answers[verb] ?? [] {
                    if answer == "close" {
                        connection.channel.close(promise: nil)
                    } else {
                        let transaction = fields?["transaction"] as? String ?? ""
                        try await connection.send(answer.replacing("@", with: transaction))
                    }
                }
            }
        }
    }

    private static let created = [#"{"janus":"success","transaction":"@","data":{"id":9007199254740991}}"#]
    private static let attached = [#"{"janus":"success","transaction":"@","data":{"id":7}}"#]
    private static let ack = #"{"janus":"ack","transaction":"@"}"#

    private static func event(_ data: String) -> String {
        #"{"janus":"event","transaction":"@","sender":7,"plugindata":{"plugin":"x","data":\#(data)}}"#
    }

    private func join(
        _ answers: [String: [String]], limit: Duration = .seconds(10)
    ) async throws -> any RoomMembership {
        let server = try await FakeServer.webSocket()
        let serving = Self.serve(server, answers)
        defer { if limit < .seconds(1) { serving.cancel() } }
        let engine = try JanusEngine(url: "ws://127.0.0.1:\(server.port)/", requestLimit: limit)
        return try await engine.join(RoomEntry(room: "1234", displayName: "alice"))
    }

    @Test("Joining: an acknowledgement is no answer, and what makes no sense is passed over")
    func joins() async throws {
        let joined = Self.event(
            #"{"videoroom":"joined","id":1,"private_id":2,"publishers":[{"id":5,"display":"bob"}]}"#)
        let late = #"{"janus":"event","sender":7,"plugindata":{"data":{"videoroom":"event","leaving":5}}}"#
        let membership = try await join([
            "create": ["no JSON", "[]", "{}", #"{"janus":5}"#, String(repeating: "[", count: 5_000)] + Self.created,
            "attach": [#"{"janus":"event","sender":99,"transaction":"other"}"#] + Self.attached,
            "join": [Self.ack, joined, late, "close"],
        ])
        #expect(membership.id == "1")
        #expect(membership.participants.map(\.displayName) == ["bob"])
        var events = membership.events.makeAsyncIterator()
        #expect(await events.next() == .left(id: "5", wasKicked: false))
        guard case .lost? = await events.next() else { return #expect(Bool(false), "not lost") }
        #expect(await events.next() == nil)
        await #expect(throws: RoomError.self) { try await membership.publish("v=0") }
    }

    private func failure(_ answers: [String: [String]], limit: Duration = .seconds(10)) async -> RoomError? {
        do {
            _ = try await join(answers, limit: limit)
            return nil
        } catch { return error as? RoomError }
    }

    @Test("Each refusal has its cause")
    func refusals() async throws {
        func fault(_ code: Int, _ text: String) -> [String: [String]] {
            [
                "create": Self.created, "attach": Self.attached,
                "join": [Self.event(#"{"videoroom":"event","error_code":\#(code),"error":"\#(text)"}"#)],
            ]
        }
        #expect(await failure(fault(426, "No such room")) == .noSuchRoom("1234"))
        #expect(await failure(fault(433, "wrong pin")) == .unauthorized(text: "wrong pin"))
        #expect(
            await failure(fault(429, "Missing mandatory element (pin)")) == .unauthorized(text: "the room has a PIN"))
        #expect(await failure(fault(499, "x")) == .refused(code: 499, text: "x"))
        let unauthorized = #"{"janus":"error","transaction":"@","error":{"code":403,"reason":"Unauthorized request"}}"#
        #expect(await failure(["create": [unauthorized]]) == .unauthorized(text: "Unauthorized request"))
        let missing = #"{"janus":"error","transaction":"@","error":{"code":460,"reason":"No such plugin"}}"#
        #expect(
            await failure(["create": Self.created, "attach": [missing]])
                == .refused(code: 460, text: "No such plugin"))
        #expect(await failure(["create": [#"{"janus":"success","transaction":"@"}"#]]) != nil)
        let nobody = [
            "create": Self.created, "attach": Self.attached, "join": [Self.event(#"{"videoroom":"joined"}"#)],
        ]
        #expect(await failure(nobody) == .refused(code: 400, text: "the server did not say who this end is"))
        #expect(await failure(["create": ["close"]]) == .lost(text: "the server closed the connection"))
        #expect(
            await failure(["create": [#"{"janus":"timeout","session_id":1}"#]])
                == .lost(text: "the server has ended the session"))
        #expect(await failure([:], limit: .milliseconds(200)) == .noAnswer(request: "create"))
    }

    @Test("A server that is no Janus is unreachable, with the reason")
    func unreachable() async throws {
        func failure(_ port: Int, limit: Duration = .seconds(10)) async throws -> String {
            let engine = try JanusEngine(url: "ws://127.0.0.1:\(port)/", requestLimit: limit)
            do {
                _ = try await engine.join(RoomEntry(room: "1", displayName: "alice"))
                return "joined"
            } catch RoomError.unreachable(_, let text) { return text }
        }
        let web = try await FakeServer.saying("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        #expect(try await failure(web.port) == "the server answered HTTP 404 instead of a WebSocket")
        let other = try await FakeServer.saying("220 mail\r\n")
        #expect(try await failure(other.port) == "the server does not speak HTTP")
        let mute = try await FakeServer.saying(nil)
        #expect(try await failure(mute.port, limit: .milliseconds(200)) == "no answer in time")
        for url in ["http://127.0.0.1/", "ws://", "ws://user@host/", ""] {
            #expect(throws: RoomError.self) { try JanusEngine(url: url) }
        }
    }
}
