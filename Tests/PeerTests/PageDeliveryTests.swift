import Foundation
import Testing

@testable import CallAgent

extension Peers {
    /// The page delivers its messages by itself, in JavaScript: as the agent does.
    @Suite struct PageDeliveryTests {
        @Test("On 400 bad networks by chance the page's delivery does what the agent's does")
        func sameDelivery() async throws {
            let server = try await CallServer()
            try await withBrowser(.chromium) { browser in
                try await browser.open(server.page)
                var done: [String: Int] = [:]
                for batch in 0..<8 {
                    let runs = (0..<50).map { run(seed: UInt64(batch * 50 + $0)) }
                    let script = try JSONSerialization.data(withJSONObject: runs.map(\.script))
                    let answers: [[[String]]] = try await browser.evaluate(
                        """
                        const { Delivery } = await import('./delivery.js');
                        const line = (action) => {
                          const [kind, message] = Object.entries(action)[0];
                          const seq = message.seq ?? '-';
                          return `${kind} ${message.type} ${message.id} ${message.ref ?? '-'} ${seq} ${message.toDevice ?? '-'}`;
                        };
                        return \(String(decoding: script, as: UTF8.self)).map((steps) => {
                          const delivery = new Delivery('me', 'mine');
                          return steps.map(([name, at, value]) => {
                            const actions = name === 'forget' || name === 'connectionLost'
                              ? (delivery[name](value), []) : name === 'wake' || name === 'connectionRestored'
                                ? delivery[name](at) : delivery[name](value, at);
                            const next = delivery.nextWake === Infinity ? '-' : delivery.nextWake;
                            return [`${name} ${next} ${delivery.isIdle}`, ...actions.map(line)];
                          });
                        });
                        """)
                    for line in answers.joined().joined() {
                        done[line.split(separator: " ").prefix(2).joined(separator: " "), default: 0] += 1
                    }
                    for (run, answer) in zip(runs, answers) where run.lines != answer {
                        let place = try #require(zip(run.lines, answer).enumerated().first { $1.0 != $1.1 }?.offset)
                        Issue.record("step \(place)\nthe agent: \(run.lines[place])\nthe page:  \(answer[place])")
                        return
                    }
                }
                for line in ["transmit invite", "transmit ack", "deliver candidate", "deliver hangup", "failed invite"]
                {
                    #expect(done[line] ?? 0 > 20, "\(line)")
                }
            }
        }

        private struct Run {
            var script: [[Any]] = []
            var lines: [[String]] = []
        }

        private func run(seed: UInt64) -> Run {
            var (chance, delivery) = (Chance(state: seed), Delivery(user: "me", device: "mine", isGuaranteed: false))
            var (run, now, sent) = (Run(), 0, 0)
            for _ in 0..<80 {
                now += chance.pick([0, 1, 20, 300, 500, 1_000, 4_000])
                let actions: [Delivery.Action]
                let step: (name: String, value: Any)
                switch chance.below(12) {
                case 0...3:
                    sent += 1
                    let message = outgoing(number: sent, &chance)
                    step = ("send", object(message))
                    actions = delivery.send(message, at: now)
                case 4...8:
                    let message = incoming(answering: sent, &chance)
                    step = ("receive", object(message))
                    actions = delivery.receive(message, at: now)
                case 9:
                    // In time, or too late.
                    if let next = delivery.nextWake { now = max(now, next) }
                    step = ("wake", 0)
                    actions = delivery.wake(at: now)
                case 10:
                    let isLoss = chance.below(2) == 0
                    step = (isLoss ? "connectionLost" : "connectionRestored", 0)
                    if isLoss { delivery.connectionLost() }
                    actions = isLoss ? [] : delivery.connectionRestored(at: now)
                default:
                    let call = chance.pick(["c1", "c2"])
                    step = ("forget", call)
                    if chance.below(3) > 0 { continue }
                    delivery.forget(CallKey(peer: "bob", callId: call))
                    actions = []
                }
                run.script.append([step.name, now, step.value])
                let next = delivery.nextWake.map(String.init) ?? "-"
                run.lines.append(["\(step.name) \(next) \(delivery.isIdle)"] + actions.map(line))
            }
            return run
        }

        private func outgoing(number: Int, _ chance: inout Chance) -> SignalingMessage {
            let invite = SignalingMessage.Invite(media: .audioVideo, ringTimeoutMs: 20_000, sdp: "offer")
            let farewell = SignalingMessage.Farewell(code: 200, text: "", winner: chance.pick([nil, "A"]))
            let body: SignalingMessage.Body = chance.pick([
                .invite(invite), .candidate(.init(candidate: "", mLine: 0)), .candidate(.init(candidate: "", mLine: 0)),
                .state(MediaState()), .query, .hangup(farewell), .cancel(farewell),
            ])
            var message = SignalingMessage(
                id: "a\(number)", callId: chance.pick(["c1", "c2"]), from: "me",
                to: chance.pick(["bob", "bob", "carol"]),
                sentUnixMs: 1, body: body)
            message.device = "mine"
            message.toDevice = chance.pick([nil, nil, "A"])
            return message
        }

        private func incoming(answering sent: Int, _ chance: inout Chance) -> SignalingMessage {
            let farewell = SignalingMessage.Farewell(code: 9900, text: "")
            let reference = "a\(chance.below(sent + 1) + 1)"
            let body: SignalingMessage.Body = chance.pick([
                .ack(reference), .ack(reference), .ringing, .candidate(.init(candidate: "", mLine: 0)),
                .state(MediaState()),
                .candidate(.init(candidate: "", mLine: 0)), .hangup(farewell), .status(.connected), .gone,
                .error(.init(code: chance.pick([400, 404, 429, 480, 481]), text: "", ref: reference)),
            ])
            var message = SignalingMessage(
                id: "b\(chance.below(1_000))", callId: chance.pick(["c1", "c2"]),
                from: chance.pick(["bob", "bob", "carol"]),
                to: "me", sentUnixMs: 1, body: body)
            message.device = chance.pick(["A", "A", "B", nil])
            message.toDevice = chance.pick([nil, "mine"])
            if body.isReliable { message.sequence = chance.pick([1, 2, 3, 4, 5, 6, 200]) }
            return message
        }

        private func object(_ message: SignalingMessage) -> [String: Any] {
            let text = (try? message.encoded()) ?? "{}"
            return (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
        }

        private func line(_ action: Delivery.Action) -> String {
            let (kind, message): (String, SignalingMessage) =
                switch action {
                case .transmit(let message): ("transmit", message)
                case .deliver(let message): ("deliver", message)
                case .failed(let message, _): ("failed", message)
                }
            let fields = object(message)
            let words = ["type", "id", "ref", "seq", "toDevice"].map { fields[$0].map { "\($0)" } ?? "-" }
            return ([kind] + words).joined(separator: " ")
        }
    }
}
