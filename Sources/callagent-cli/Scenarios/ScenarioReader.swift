internal import ArgumentParser
internal import CallAgent

/// Reads a scenario from its file, and refuses what it does not understand with line and column.
struct ScenarioReader {
    /// The folder for what the scenario writes.
    let folder: String
    /// The options of a party.
    let options: PartyOptions
    /// The emulated network of those parties that have none of their own.
    var network: NetworkArgument?

    private static let keys = ["name", "signaling", "parties", "steps", "duration", "within", "expect"]
    private static let stepKeys = ["when", "at", "party", "with", "do"]
    /// The key in `expect` for every party of this run.
    private static let everyParty = "all"

    /// - Throws: a ``Failure`` of wrong usage.
    func read(_ path: String) throws(Failure) -> Scenario {
        let root = try ScenarioNode.read(path)
        let fields = try root.fields("a scenario", known: Self.keys)
        guard let cast = fields["parties"] else { throw root.complaint("a scenario needs parties") }
        guard let script = fields["steps"] else { throw root.complaint("a scenario needs steps") }
        let signaling = try fields["signaling"].map { node throws(Failure) in try node.text("signaling") }
        var parties: [ScenarioParty] = []
        for entry in try cast.entries("parties") { parties.append(try party(entry, signaling)) }
        guard parties.contains(where: \.isHere) else {
            throw cast.complaint("a scenario needs a party that runs here")
        }
        if let node = fields["signaling"], let signaling, parties.contains(where: { $0.browser != nil }) {
            do throws(SignalingError) {
                _ = try SignalingURL(signaling, .webSocket)
            } catch {
                throw node.complaint("a page needs the URL of a server with ws:// or wss://: \(error)")
            }
        }
        if let party = parties.first(where: { $0.nat != nil }) { try checkNetwork(of: party, cast, fields) }
        var steps: [ScenarioStep] = []
        for node in try script.elements("steps") { steps.append(try step(node, parties)) }
        let name = try fields["name"].map { node throws(Failure) in try node.text("the name") }
        let duration = try fields["duration"].map { node throws(Failure) in try node.duration("duration").duration }
        let limit = try fields["within"].map { node throws(Failure) in try node.duration("within") }
        if let limit, limit.milliseconds == 0 {
            throw fields["within"]?.complaint("within has to be longer than 0") ?? root.complaint("within is 0")
        }
        return Scenario(
            file: path, name: (name ?? path) + (network.map { " (\($0.text))" } ?? ""), network: network,
            signaling: signaling, parties: parties, steps: steps, duration: duration,
            limit: limit ?? DurationArgument(.seconds(30)),
            expectations: try fields["expect"].map { node throws(Failure) in try expectations(node, parties) } ?? [])
    }

    private func party(_ entry: ScenarioNode.Entry, _ signaling: String?) throws(Failure) -> ScenarioParty {
        let (name, node) = (entry.name, entry.value)
        guard SignalingLimits.isName(name), name != Self.everyParty else {
            throw entry.key.complaint(
                "'\(name.printable)' is no name of a party: use 1 to 64 ASCII letters, digits and . _ - @ + :")
        }
        let fields = try node.entries("a party")
        if fields.contains(where: { $0.name == "browser" }) { return try page(entry, fields) }
        guard let elsewhere = fields.first(where: { $0.name == "elsewhere" }) else {
            var party = try options.party(entry, signaling: signaling, folder: folder)
            party.nat = try fields.first { $0.name == "nat" }.map(nat)
            return party
        }
        if let other = fields.first(where: { $0.name != "elsewhere" }) {
            throw other.key.complaint("the agent of a party that runs elsewhere has no options here")
        }
        guard signaling != nil else {
            throw elsewhere.key.complaint("a party that runs elsewhere needs 'signaling', the URL of its server")
        }
        let user = try elsewhere.value.text("elsewhere, the user")
        guard SignalingLimits.isName(user) else {
            throw elsewhere.value.complaint(CallError.invalidUser(user).description)
        }
        return ScenarioParty(name: name, user: user, client: .elsewhere, settings: [], place: entry.key.place)
    }

    private func nat(_ field: ScenarioNode.Entry) throws(Failure) -> PartyMachine.NAT {
        try field.value.parsed("nat") { text in
            guard let nat = PartyMachine.NAT(rawValue: text) else {
                throw ValidationError("'\(text.printable)' is no NAT; use none, cone or symmetric")
            }
            return nat
        }
    }

    /// Refuses what cannot work with a network of the scenario's own, which begins with `nat`, a key of `party`.
    private func checkNetwork(
        of party: ScenarioParty, _ cast: ScenarioNode, _ fields: [String: ScenarioNode]
    ) throws(Failure) {
        let cause = "'nat' at \(party.name) makes a network of the scenario's own"
        if let signaling = fields["signaling"] {
            throw signaling.complaint("\(cause), where no server outside can be reached")
        }
        let entries = try cast.entries("parties")
        guard entries.count <= PartyMachine.perScenario else {
            throw cast.complaint("\(cause), which has at most \(PartyMachine.perScenario) parties")
        }
        for entry in entries {
            for field in try entry.value.entries("a party") {
                switch field.name {
                case "browser": throw field.key.complaint("\(cause), and a page has none")
                case "ice-interface": throw field.key.complaint("\(cause), which gives each party its interface")
                default: break
                }
            }
        }
    }

    /// A party that uses the server's page.
    private func page(
        _ entry: ScenarioNode.Entry, _ fields: [ScenarioNode.Entry]
    ) throws(Failure) -> ScenarioParty {
        var (browser, user) = ("", entry.name)
        for field in fields {
            switch field.name {
            case "browser": browser = try field.value.text("browser")
            case "as":
                user = try field.value.text("as")
                guard SignalingLimits.isName(user) else {
                    throw field.value.complaint(CallError.invalidUser(user).description)
                }
            default: throw field.unknown("a party with a browser", ["as", "browser"])
            }
        }
        return ScenarioParty(
            name: entry.name, user: user, client: .page(browser: browser), settings: [], place: entry.key.place)
    }

    // MARK: Steps

    private func step(_ node: ScenarioNode, _ parties: [ScenarioParty]) throws(Failure) -> ScenarioStep {
        let fields = try node.fields("a step", known: Self.stepKeys)
        let condition = try fields["when"].map { node throws(Failure) in try self.condition(node, parties) }
        let time = try fields["at"].map { node throws(Failure) in try node.duration("at") }
        guard let action = fields["do"] else {
            guard condition != nil else { throw node.complaint("a step needs 'party' and 'do', or 'when'") }
            if let stray = fields["party"] ?? fields["with"] {
                throw stray.complaint("this party has nothing to do; add 'do'")
            }
            return ScenarioStep(line: node.line, condition: condition, time: time, act: nil)
        }
        guard let actor = fields["party"] else { throw node.complaint("a step needs 'party': who does this?") }
        let party = try acting(actor, parties)
        let peer = try fields["with"].map { node throws(Failure) in try known(node, parties).name }
        let act = ScenarioStep.Act(
            party: party.name, peer: peer,
            action: try action.parsed("do") { try ScenarioStep.Action(parsing: $0, folder: folder) },
            text: try action.text("do"))
        try check(act, of: party, at: action, parties)
        return ScenarioStep(line: node.line, condition: condition, time: time, act: act)
    }

    /// Refuses what cannot work with these parties.
    private func check(
        _ act: ScenarioStep.Act, of party: ScenarioParty, at node: ScenarioNode, _ parties: [ScenarioParty]
    ) throws(Failure) {
        switch act.action {
        case .call(let callee, _):
            guard parties.contains(where: { $0.name == callee }) else { throw unknown(callee, parties, at: node) }
            guard callee != party.name else { throw node.complaint(CallError.callsItself(callee).description) }
        case .accept, .reject:
            guard party.browser != nil || party.options?.answering.answer == .never else {
                throw node.complaint("\(party.name) answers by itself; give that party 'answer: never'")
            }
        case .machine(let change):
            guard parties.contains(where: { $0.nat != nil }) else {
                throw node.complaint(
                    "\(party.name) has no machine of its own; give that party 'nat: none' or another NAT")
            }
            guard change != .moveNAT || [.cone, .symmetric].contains(party.nat) else {
                throw node.complaint("\(party.name) has no NAT; give that party 'nat: cone' or 'nat: symmetric'")
            }
        case .script: break
        }
        guard party.browser == nil || PageUser.canPerform(act.action) else {
            throw node.complaint("a page cannot do this; it can do \(PageUser.actions)")
        }
    }

    private func condition(_ node: ScenarioNode, _ parties: [ScenarioParty]) throws(Failure) -> ScenarioCondition {
        let text = try node.text("when")
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2 else { throw node.complaint("write PARTY and what happens, such as 'bob connected'") }
        guard let party = parties.first(where: { $0.name == words[0] }) else {
            throw unknown(words[0], parties, at: node)
        }
        guard party.isHere else {
            throw node.complaint("\(party.name) runs elsewhere; wait for what happens to a party that runs here")
        }
        let event = words[1].split(separator: ":").first.map(String.init) ?? ""
        guard ScenarioCondition.words.contains(event), event == words[1] || ScenarioCondition.events.contains(event)
        else {
            let nearest = Misspelling.nearest(to: event, among: ScenarioCondition.words)
            let advice =
                nearest.map { "did you mean '\($0)'?" }
                ?? "use a state such as connected, a stage of the timeline, or an event"
            throw node.complaint("'\(words[1].printable)' never happens; \(advice)")
        }
        guard party.browser == nil || !ScenarioCondition.events.contains(event) || PageUser.events.contains(event)
        else {
            throw node.complaint("a page has no event '\(event)'; it has \(PageUser.events.joined(separator: ", "))")
        }
        return ScenarioCondition(party: party.name, word: words[1])
    }

    private func known(_ node: ScenarioNode, _ parties: [ScenarioParty]) throws(Failure) -> ScenarioParty {
        let name = try node.text("a party")
        guard let party = parties.first(where: { $0.name == name }) else { throw unknown(name, parties, at: node) }
        return party
    }

    private func acting(_ node: ScenarioNode, _ parties: [ScenarioParty]) throws(Failure) -> ScenarioParty {
        let party = try known(node, parties)
        guard party.isHere else {
            throw node.complaint("\(party.name) runs elsewhere; only a party that runs here can act")
        }
        return party
    }

    private func unknown(_ name: String, _ parties: [ScenarioParty], at node: ScenarioNode) -> Failure {
        let names = parties.map(\.name).joined(separator: ", ")
        return node.complaint("there is no party '\(name.printable)'; there are \(names)")
    }

    // MARK: Expectations

    private func expectations(
        _ node: ScenarioNode, _ parties: [ScenarioParty]
    ) throws(Failure) -> [Scenario.PartyExpectation] {
        let here = parties.filter(\.isHere).map(\.name)
        var expectations: [Scenario.PartyExpectation] = []
        for entry in try node.entries("expect") {
            let names = entry.name == Self.everyParty ? here : [entry.name]
            guard entry.name == Self.everyParty || here.contains(entry.name) else {
                let known = ([Self.everyParty] + here).joined(separator: ", ")
                throw entry.key.complaint("'\(entry.name.printable)' is no party that runs here; use \(known)")
            }
            for element in try entry.value.elements("the expectations of a party") {
                let expectation = try element.parsed("an expectation") { try Expectation(parsing: $0) }
                for party in parties where names.contains(party.name) {
                    let document = party.browser == nil ? Figures.Document.calls : .page
                    if let complaint = Figures.complaint(about: expectation.path, in: document) {
                        throw element.complaint(complaint)
                    }
                }
                expectations += names.map { Scenario.PartyExpectation(party: $0, expectation: expectation) }
            }
        }
        return expectations
    }
}
