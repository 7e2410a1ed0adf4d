import Foundation

@testable import CallAgent

/// What the agent's rules say to an event, in the words of the page's rules.
enum Trace {
    /// The fields of a message that belong to its type, and the type.
    static func fields(of body: SignalingMessage.Body) -> [String: Any] {
        let message = SignalingMessage(id: "m", callId: "c", from: "x", to: "y", sentUnixMs: 0, body: body)
        let text = (try? message.encoded()) ?? "{}"
        var fields = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
        for name in ["v", "id", "callId", "from", "to", "sentUnixMs", "generation"] { fields[name] = nil }
        return fields
    }

    /// The state after an event and its effects, one text each.
    static func lines(_ machine: CallMachine, _ effects: [CallMachine.Effect]) -> [String] {
        let end = machine.end.map { " \($0.reason.rawValue) \($0.code) \($0.by)" } ?? ""
        return ["\(machine.state.rawValue) \(machine.hold.rawValue)\(end)"] + effects.compactMap(line)
    }

    private static func line(_ effect: CallMachine.Effect) -> String? {
        switch effect {
        case .send(let body, let address):
            "send \(address.device ?? "all") \(address.generation) \(sorted(fields(of: body)))"
        case .createOffer(let media, let number): "createOffer \(number) \(media.audio) \(media.video)"
        case .createAnswer(let offer, let media, let number):
            "createAnswer \(number) \(media.audio) \(media.video) \(offer)"
        case .setAnswer(let sdp, let number): "setAnswer \(number) \(sdp)"
        case .addCandidate(let candidate, let number):
            "addCandidate \(number) \(candidate.candidate) \(candidate.mLine)"
        case .setGates(let gates, let number):
            "setGates \(number) \(gates.audio.rawValue) \(gates.video.rawValue) \(gates.isReceiving)"
        case .close(let number): "close \(number)"
        case .startTimer(let timer, let milliseconds): "startTimer \(timer) \(milliseconds)"
        case .cancelTimer(let timer): "cancelTimer \(timer)"
        case .stopMedia: "stopMedia"
        case .adoptCall: "adopt"
        case .report(let change): "report \(change.state.rawValue) \(name(change.reason)) \(change.by)"
        case .notify(let notice): "notify \("\(notice)".prefix { $0.isLetter })"
        // For the log.
        case .ignored: nil
        }
    }

    private static func name(_ reason: ChangeReason) -> String {
        if case .ended(let end) = reason { end.rawValue } else { "\(reason)" }
    }

    private static func sorted(_ fields: [String: Any]) -> String {
        let data = try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// The same of the page's rules: a function of the rules of a call and what they said.
    static let script = """
        const sorted = (value) => value && typeof value === 'object' && !Array.isArray(value)
          ? Object.fromEntries(Object.keys(value).sort().filter((key) => value[key] !== undefined)
            .map((key) => [key, sorted(value[key])])) : value;
        const line = (one) => {
          switch (one.do) {
            case 'send': return `send ${one.device ?? 'all'} ${one.generation} ${JSON.stringify(sorted(one.body))}`;
            case 'createOffer': return `createOffer ${one.generation} ${one.media.audio} ${one.media.video}`;
            case 'createAnswer':
              return `createAnswer ${one.generation} ${one.media.audio} ${one.media.video} ${one.offer}`;
            case 'setAnswer': return `setAnswer ${one.generation} ${one.sdp}`;
            case 'addCandidate': return `addCandidate ${one.generation} ${one.candidate} ${one.mLine}`;
            case 'setGates':
              return `setGates ${one.generation} ${one.gates.audio} ${one.gates.video} ${one.gates.isReceiving}`;
            case 'close': return `close ${one.generation}`;
            case 'startTimer': return `startTimer ${one.timer} ${one.milliseconds}`;
            case 'cancelTimer': return `cancelTimer ${one.timer}`;
            case 'report': return `report ${one.state} ${one.reason} ${one.by}`;
            case 'notify': return `notify ${one.notice.name}`;
            default: return one.do;
          }
        };
        const lines = (rules, effects) => {
          const end = rules.end ? ` ${rules.end.reason} ${rules.end.code} ${rules.end.by}` : '';
          return [`${rules.state} ${rules.hold}${end}`,
            ...effects.filter((one) => one.do !== 'ignored').map(line)];
        };
        """
}
