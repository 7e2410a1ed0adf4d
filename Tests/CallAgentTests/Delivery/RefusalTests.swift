import CallProtocol
import Testing

@testable import CallAgent

/// A message that this end refuses must not block the messages after it.
struct RefusalTests {
    private var alice = DeliveryEnd()

    /// The error for each of these messages.
    static let refused: [(fields: String, code: Int)] = [
        (#""type":"info","content":"\#(String(repeating: "x", count: 4_097))""#, 400),
        (#""type":"state","state":{"audio":"loud","video":"on","hold":false}"#, 400),
        (#""type":"candidate","mLine":0,"candidate":"\#(String(repeating: "x", count: 513))""#, 400),
        (#""type":"dance""#, 426), (#""type":"ringing","generation":-1"#, 400), (#""type":7"#, 426),
        (
            #""type":"ringing","extension":{"a":[\#(String(repeating: "[", count: 60))\#(String(repeating: "]", count: 60))]}"#,
            400
        ),
    ]

    private func text(_ sequence: Int, _ fields: String, version: Int = 1) -> String {
        #"{"v":\#(version),"id":"b\#(sequence)","callId":"c1","from":"bob","to":"alice","seq":\#(sequence),\#(fields)}"#
    }

    /// Handles a received text as the agent does.
    private mutating func receive(_ text: String) throws -> [Delivery.Action] {
        do throws(MalformedMessage) {
            return alice.receive(try SignalingMessage(decoding: text))
        } catch {
            return alice.delivery.refuse(try #require(MessageHead(decoding: text)), error, at: 0)
        }
    }

    @Test("A refused message consumes its number and is answered; later messages are delivered", arguments: refused)
    mutating func letsTheRestThrough(fields: String, code: Int) throws {
        #expect(try receive(text(1, #""type":"ringing""#)).delivered.count == 1)
        #expect(try receive(text(3, #""type":"commit""#)).delivered.isEmpty, "it waits for the second")
        let actions = try receive(text(2, fields))
        #expect(actions.delivered.map(\.body) == [.commit])
        let fault = try #require(actions.transmitted.first)
        guard case .error(let error) = fault.body else {
            Issue.record("no error: \(fault)")
            return
        }
        #expect(error.code == code && error.ref == "b2" && fault.to == "bob")
        // A repetition gets the error again and delivers nothing twice.
        let again = try receive(text(2, fields))
        #expect(again.delivered.isEmpty && again.transmitted.count == 1)
        #expect(try receive(text(4, #""type":"rollback""#)).delivered.map(\.body) == [.rollback])
    }

    @Test("A message of another version consumes its number")
    mutating func otherVersion() throws {
        let actions = try receive(text(1, #""type":"ringing""#, version: 2))
        #expect(
            actions.transmitted.contains { if case .error(let fault) = $0.body { fault.code == 426 } else { false } })
        #expect(try receive(text(2, #""type":"commit""#)).delivered.map(\.body) == [.commit])
    }

    @Test("Errors and acknowledgements are refused without an answer", arguments: ["error", "ack"])
    mutating func neverAnswered(type: String) throws {
        let text = #"{"v":1,"type":"\#(type)","id":"b1","callId":"c1","from":"bob","to":"alice","ref":7,"code":-1}"#
        #expect(try receive(text).isEmpty)
    }

    @Test("A message with an invalid device changes no stream")
    mutating func misaddressed() throws {
        let actions = try receive(text(1, #""type":"dance","device":7"#))
        #expect(actions.transmitted.count == 1)
        #expect(try receive(text(1, #""type":"ringing""#)).delivered.count == 1, "the number is free")
    }

    @Test("A message that cannot be encoded is given up once, and later messages are sent")
    mutating func notEncodable() throws {
        let tooLong = try #require(alice.send(.info(String(repeating: "x", count: 5_000))).transmitted.first)
        let fault = MalformedMessage(code: 400, text: "content", ref: tooLong.id)
        let actions = alice.delivery.refusedHere(tooLong, fault, at: 0)
        #expect(actions.first == .failed(tooLong, .refused(code: 400, text: "content")))
        #expect(actions.transmitted.map(\.body) == [.skip])
        #expect(!alice.elapse(60_000).contains { $0.action.isFailure })
    }
}

extension Delivery.Action {
    fileprivate var isFailure: Bool { if case .failed = self { true } else { false } }
}
