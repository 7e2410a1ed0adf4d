@testable import CallAgent

/// The effects of every event in every state.
///
/// A cell has, in order: the messages sent (`cancel`), the commands to the media (`makeOffer`, `gates`), the timer that starts (`+ring`),
/// `notify` if the user gets an event, and the new state (`>ended`). `.`: the event changes nothing. `~`: the machine only remembers the event.
/// `"`: the same as in the column before. An event without a row changes nothing in any of the states. A message of a device or of an unknown
/// generation without a row does what the same message does without them.
struct StateEventTable: Sendable {
    /// The states, one per column.
    var columns: [Column]
    /// One line for each event that has an effect: its name, then a cell for each state.
    ///
    /// The order is: what the user does, messages, signaling, media,
    /// timers.
    var text: String

    struct Column: Sendable {
        var name: String
        var machine: CallMachine
    }

    static let all = [beforeTheCall, ringing, accepted, held, changing]

    /// The cells of each event.
    var rows: [String: [String]] {
        var rows: [String: [String]] = [:]
        for line in text.split(separator: "\n") {
            var cells: [String] = []
            for part in line.split(separator: "|") {
                let cell = part.split(separator: " ").joined(separator: " ")
                cells.append(cell == "\"" ? cells.last ?? cell : cell)
            }
            guard cells.count > 1 else { continue }
            rows[cells.removeFirst()] = cells
        }
        return rows
    }

    /// The effects of `event` on `machine`, as a cell.
    static func cell(_ event: CallMachine.Event, _ machine: CallMachine) -> String {
        var after = machine
        let effects = after.handle(event)
        if effects.isNothing, after == machine { return "." }
        var words = effects.compactMap(word)
        if effects.contains(where: { if case .notify = $0 { true } else { false } }) { words.append("notify") }
        if after.state != machine.state || effects.contains(where: { $0.change != nil }) {
            words.append(">" + (after.end?.reason.rawValue ?? after.state.rawValue))
        }
        return words.isEmpty ? "~" : words.joined(separator: " ")
    }

    private static func word(_ effect: CallMachine.Effect) -> String? {
        switch effect {
        case .send(let body, _): body.name
        case .createOffer: "makeOffer"
        case .createAnswer: "makeAnswer"
        case .setAnswer: "setAnswer"
        case .addCandidate: "addCandidate"
        case .setGates: "gates"
        case .restartIce: "restartIce"
        case .setIceParameters: "setIce"
        case .close: "close"
        case .adoptCall: "adopt"
        case .startTimer(let timer, _): "+\(timer)"
        case .cancelTimer, .stopMedia, .report, .notify, .ignored: nil
        }
    }
}

extension CallMachine.Event {
    /// A name that is unique among the events of the tables.
    var label: String {
        switch self {
        case .reject(let code, _): "reject \(code)"
        case .setSending(_, let video): "setSending \(video?.rawValue ?? "")"
        case .changeMedia(let media): "changeMedia \(media.label)"
        case .hangUp: "hangUp"
        case .sendInfo: "sendInfo"
        case .inviteFailed: "inviteFailed"
        case .yield: "yield"
        case .timerFired(let timer): "timer \(timer)"
        case .media(.failed(let fault), let generation): "failed \(fault.text)" + suffix(generation, nil)
        case .media(let fact, let generation): fact.name + suffix(generation, nil)
        case .received(let body, let generation, let device): "<" + body.label + suffix(generation, device)
        default: "\(self)"
        }
    }

    /// The label of the same message without its device or its unknown generation (3); nil for other events.
    var ordinaryLabel: String? {
        guard case .received(let body, let generation, let device) = self, generation == 3 || device != nil else {
            return nil
        }
        return "<" + body.label
    }

    private func suffix(_ generation: Int, _ device: String?) -> String {
        (generation == 0 ? "" : " g\(generation)") + (device.map { " \($0)" } ?? "")
    }
}

extension SignalingMessage.Body {
    fileprivate var label: String {
        switch self {
        case .accept(let sdp, _): sdp == nil ? "accept" : "accept sdp"
        case .reject(let farewell), .cancel(let farewell), .hangup(let farewell):
            "\(name) \(farewell.code)" + (farewell.winner.map { " not \($0)" } ?? "")
        case .offer(let offer): "offer \(offer.media.label)"
        case .renegotiate(let media): "renegotiate \(media.label)"
        case .state(let state): "state \(state.isHolding ? "hold" : state.video.rawValue)"
        default: name
        }
    }
}

extension CallMedia {
    fileprivate var label: String { video ? "video" : "audio" }
}
