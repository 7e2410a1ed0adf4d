internal import CallAgent

/// Calls between parties that act by a script, and what is expected of them: one file of `callagent test`.
struct Scenario: Sendable {
    /// What is expected of the calls of one party.
    struct PartyExpectation: Sendable {
        let party: String
        let expectation: Expectation
    }

    /// The path of the file.
    let file: String
    let name: String
    /// What the parties send through that have no emulated network of their own; nil: nothing.
    let network: NetworkArgument?
    /// The signaling server; nil: one of its own in this process.
    let signaling: String?
    /// In the order of the file.
    let parties: [ScenarioParty]
    let steps: [ScenarioStep]
    /// How long each call stays connected before its caller hangs up; nil: until a step or a peer ends it.
    let duration: Duration?
    /// In which time everything has to be over.
    let limit: DurationArgument
    let expectations: [PartyExpectation]

    /// The file, with the network if there is one.
    var label: String { file + (network.map { " (\($0.text))" } ?? "") }

    /// The NAT of each party, if one of them has a key for it: then they have a network of their own.
    var nats: [String: PartyMachine.NAT]? {
        guard parties.contains(where: { $0.nat != nil }) else { return nil }
        return Dictionary(uniqueKeysWithValues: parties.map { ($0.name, $0.nat ?? .none) })
    }

    func party(_ name: String) -> ScenarioParty? { parties.first { $0.name == name } }

    /// Whether a step changes the network of the party.
    func changesNetwork(of party: String) -> Bool {
        steps.contains { step in
            guard step.act?.party == party, case .script(.network) = step.act?.action else { return false }
            return true
        }
    }

    /// Whether an expectation of the party is about the code with which its calls end: then it judges the end, whatever that is.
    func judgesEnds(of party: String) -> Bool {
        expectations.contains { $0.party == party && $0.expectation.path.suffix(2) == ["end", "code"] }
    }
}

/// Somebody who has calls in a scenario.
struct ScenarioParty: Sendable {
    let name: String
    /// The user who signs in.
    let user: String
    let client: Client
    /// Each key of it alone, to find the one that is at fault.
    let settings: [Setting]
    /// Where the file describes it, such as `file.yaml:4:3`.
    let place: String
    /// What the router of its machine translates; nil: the file does not say.
    var nat: PartyMachine.NAT?

    /// What makes its calls.
    enum Client: Sendable {
        /// An agent of this program, with the options of `callagent listen`.
        case agent(ListenCommand)
        /// The server's page in a browser: the name or path of a Chromium.
        case page(browser: String)
        /// A program that runs elsewhere.
        case elsewhere
    }

    /// The options of its agent; nil if it has none here.
    var options: ListenCommand? { if case .agent(let options) = client { options } else { nil } }

    /// The browser of its page; nil if it has none.
    var browser: String? { if case .page(let browser) = client { browser } else { nil } }

    /// Whether its calls are made, measured and judged here.
    var isHere: Bool { if case .elsewhere = client { false } else { true } }

    /// One key of a party, as command line of `callagent listen`.
    struct Setting: Sendable {
        let arguments: [String]
        let place: String
    }
}

/// Something that has to happen to a party before a step: `bob connected`, `bob dtmf:5`.
struct ScenarioCondition: Sendable, Hashable {
    let party: String
    /// A state, a stage, or an event, with its value after a colon if that matters.
    let word: String

    var text: String { "\(party) \(word)" }

    /// The events of calls and agents that a step can wait for.
    static let events = [
        "adaptation", "attributesChanged", "auditUnanswered", "captureFailed", "captureLost", "captureRestored",
        "deviceRings", "dtmf", "extension", "holdChanged", "info", "inviteExpired", "inviteRefused", "mediaChanged",
        "mediaChangeFailed", "mediaWarning", "messageNotDelivered", "networkChangeEnded", "networkChangeStarted",
        "peerMediaChanged", "refusedAsBusy", "signalingLost", "signalingRestored", "trackFailed", "videoPending",
    ]

    /// All words without a value.
    static let words =
        CallState.allCases.map(\.rawValue)
        + CallTimeline.Stage.allCases.map(\.rawValue).filter { CallState(rawValue: $0) == nil } + events
}
