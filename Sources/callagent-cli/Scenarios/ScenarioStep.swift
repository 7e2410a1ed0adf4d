internal import ArgumentParser
internal import CallAgent

/// One step of a scenario: it waits for a condition and a time, then a party acts.
struct ScenarioStep: Sendable {
    /// What a party does: everything that `--at` can do with a call, and what begins calls.
    enum Action: Sendable {
        case call(party: String, CallMedia)
        case accept
        case reject(code: Int)
        /// What happens to the party's machine.
        case machine(PartyMachine.Change)
        case script(ScriptStep.Action)
    }

    /// A party's action, on its call with `peer`, or else on its newest call.
    struct Act: Sendable {
        let party: String
        let peer: String?
        let action: Action
        /// As it was written.
        let text: String
    }

    /// The line in the file.
    let line: Int
    let condition: ScenarioCondition?
    /// Since the condition of this step or the last one before it; without any since the start.
    let time: DurationArgument?
    /// Nil: the step only waits.
    let act: Act?

    /// Such as `when bob connected, at 1s, alice: hold`.
    var title: String {
        let parts = [
            condition.map { "when \($0.text)" }, time.map { "at \($0.defaultValueDescription)" },
            act.map { "\($0.party)\($0.peer.map { " with \($0)" } ?? ""): \($0.text.printable)" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}

extension ScenarioStep.Action {
    /// - Parameter folder: the folder for snapshots.
    /// - Throws: a `ValidationError` that lists the accepted forms.
    init(parsing text: String, folder: String) throws {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count > 1 ? parts[1] : nil) {
        case ("call", let party?) where !party.isEmpty: self = .call(party: party, .audioVideo)
        case ("call-audio", let party?) where !party.isEmpty: self = .call(party: party, .audioOnly)
        case ("accept", nil): self = .accept
        case ("reject", nil): self = .reject(code: EndReason.localRejected.code)
        case ("reject", let digits?):
            guard let code = Int(digits), SignalingLimits.codes.contains(code) else {
                throw ValidationError("'\(digits)' is no code of an end, such as 486 (busy) or 603 (declined)")
            }
            self = .reject(code: code)
        default:
            self = try PartyMachine.Change(rawValue: text).map { .machine($0) } ?? .script(Self.scripted(text, folder))
        }
    }

    private static func scripted(_ text: String, _ folder: String) throws -> ScriptStep.Action {
        do {
            let action = try ScriptStep(parsing: "0s=\(text)").action
            if case .info(let content) = action, content.utf8.count > SignalingLimits.infoBytes {
                throw ValidationError("an info has at most \(SignalingLimits.infoBytes) bytes")
            }
            switch action {
            case .room, .layer: throw ValidationError("a scenario has no rooms")
            default: break
            }
            guard case .snapshot(let text) = action else { return action }
            guard let path = PartyOptions.path(text, in: folder) else {
                throw ValidationError(PartyOptions.outside(text))
            }
            return .snapshot(path)
        } catch let error as ValidationError where error.message.hasPrefix("there is no action") {
            let message = error.message.replacing(" room:ROOM, layer:low|medium|high,", with: "")
            let changes = PartyMachine.Change.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError(message + ", call:PARTY, call-audio:PARTY, accept, reject[:CODE], \(changes)")
        }
    }
}
