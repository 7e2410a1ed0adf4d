import CallProtocol
import Foundation
import Testing

@testable import CallAgent

/// Deliberately damaged messages.
///
/// `CALLAGENT_FUZZ_RUNS` sets their number, `CALLAGENT_FUZZ_SEED` the first seed. A failure names the seed of its message.
struct MessageFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let runs = environment["CALLAGENT_FUZZ_RUNS"].flatMap { UInt64($0) } ?? 50_000
    private static let seed = environment["CALLAGENT_FUZZ_SEED"].flatMap { UInt64($0) } ?? 0
    private static let shards: UInt64 = 4

    @Test(
        "A damaged message is decoded or refused without a trap, and a decoded one is equal after encoding",
        arguments: 0..<shards)
    func damaged(shard: UInt64) throws {
        let samples = try MessageSamples.messages.map { try $0.encoded() }
        var (read, refused) = (0, 0)
        for seed in stride(from: Self.seed + shard, to: Self.seed + Self.runs, by: Int(Self.shards)) {
            var random = SeededGenerator(seed: seed)
            let text = MessageDamage.damaged(samples, &random)
            do throws(MalformedMessage) {
                let message = try SignalingMessage(decoding: text)
                read += 1
                check(message, seed)
            } catch {
                refused += 1
                checkRefusal(text, error, seed)
            }
        }
        // The test is meaningful only if both kinds occur.
        #expect(read > Int(Self.runs / Self.shards) / 20, "\(read) were read")
        #expect(refused > Int(Self.runs / Self.shards) / 20, "\(refused) were refused")
    }

    private func check(_ message: SignalingMessage, _ seed: UInt64) {
        guard let text = try? message.encoded(), let again = try? SignalingMessage(decoding: text) else {
            Issue.record("seed \(seed): read, but cannot be written: \(message)")
            return
        }
        if again != message { Issue.record("seed \(seed): \(message) became \(again)") }
    }

    private func checkRefusal(_ text: String, _ error: MalformedMessage, _ seed: UInt64) {
        let isKnown = [400, 413, 426].contains(error.code) && SignalingLimits.isText(error.text)
        if !isKnown || error.ref.map(SignalingLimits.isName) == false { Issue.record("seed \(seed): \(error)") }
        // The error to the sender must be a valid message.
        guard let answer = MessageHead(decoding: text)?.answer(error, from: "bob") else { return }
        if (try? answer.encoded()) == nil { Issue.record("seed \(seed): \(answer) cannot be sent") }
    }

    @Test("A damaged error or acknowledgement is never answered")
    func neverAnswered() throws {
        for type in ["error", "ack"] {
            for extra in [#","code":-1"#, #","ref":7"#, #","generation":-1"#, #","v":2"#, #","seq":0"#] {
                let text = callMessage(type, from: "a", to: "b", extra: extra)
                let error = MalformedMessage(code: 400, text: "x", ref: nil)
                #expect(try #require(MessageHead(decoding: text)).answer(error, from: "b") == nil)
            }
        }
        let text = callMessage("dance", from: "a", to: "b")
        let error = MalformedMessage(code: 426, text: "x", ref: nil)
        #expect(try #require(MessageHead(decoding: text)).answer(error, from: "b")?.to == "a")
    }
}
