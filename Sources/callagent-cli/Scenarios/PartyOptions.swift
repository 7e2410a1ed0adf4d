internal import ArgumentParser
internal import Foundation

/// The options of a party in a scenario: those of `callagent listen`, written as keys.
struct PartyOptions {
    private let known: [String: CommandOptions.Option]

    /// What a scenario has itself, or what is for the program as a whole.
    private static let excluded: Set = [
        "signaling", "at", "once", "json", "events", "stats-interval", "expect", "junit", "config", "log-level",
        "http-listen", "http-token-key-file", "http-tls-cert", "http-tls-key",
        "on-ring", "on-connect", "on-end", "preview", "pipelines", "room-server", "room-token-file", "room-pin-file",
        "help", "version",
    ]
    /// For a server of the scenario's own, whose port is not known yet.
    private static let ownServer = "ws://127.0.0.1"

    init() {
        let all = CommandOptions.all(of: ["listen"])?.options ?? [:]
        known = all.filter { !Self.excluded.contains($0.key) }
    }

    /// The party that an entry of a scenario describes.
    ///
    /// - Throws: a ``Failure`` of wrong usage at the key or value that is wrong.
    func party(_ entry: ScenarioNode.Entry, signaling: String?, folder: String) throws(Failure) -> ScenarioParty {
        // What its network is like is no option of an agent.
        let (name, fields) = (entry.name, try entry.value.entries("a party").filter { $0.name != "nat" })
        var common = ["--signaling=\(signaling ?? Self.ownServer)"]
        if !fields.contains(where: { $0.name == "as" }) { common.append("--as=\(name)") }
        // Media stays on this machine, like the signaling.
        if signaling == nil, !fields.contains(where: { $0.name == "ice-interface" }) {
            common.append("--ice-interface=127.0.0.1")
        }
        var words: [String] = []
        var settings: [ScenarioParty.Setting] = []
        for field in fields {
            let own = try self.words(field, folder)
            words += own
            settings.append(ScenarioParty.Setting(arguments: common + own, place: field.value.place))
        }
        do {
            let options = try ListenCommand.parse(common + words)
            return ScenarioParty(
                name: name, user: options.agent.user, client: .agent(options), settings: settings,
                place: entry.key.place)
        } catch {
            for (field, setting) in zip(fields, settings) {
                do {
                    _ = try ListenCommand.parse(setting.arguments)
                } catch {
                    throw field.value.complaint(Self.text(error, setting.arguments))
                }
            }
            // Each is right, and they do not fit together.
            throw entry.key.complaint(Self.text(error, words))
        }
    }

    private static func text(_ error: any Error, _ words: [String]) -> String {
        ParserMessage.line(ListenCommand.message(for: error), words)
    }

    private func words(_ field: ScenarioNode.Entry, _ folder: String) throws(Failure) -> [String] {
        guard let option = known[field.name] else {
            throw field.unknown("a party", (known.keys + ["browser", "elsewhere", "nat"]).sorted())
        }
        if option.isFlag {
            switch try field.value.text(field.name) {
            case "true": return ["--\(field.name)"]
            case "false": return []
            default: throw field.value.complaint("\(field.name) is true or false")
            }
        }
        guard option.isRepeating else {
            let text = try field.value.text(field.name)
            guard field.name == "record" else { return ["--\(field.name)=\(text)"] }
            guard let path = Self.path(text, in: folder) else { throw field.value.complaint(Self.outside(text)) }
            return ["--record=\(path)"]
        }
        var words: [String] = []
        for element in try field.value.elements(field.name) {
            words.append("--\(field.name)=\(try element.text(field.name))")
        }
        return words
    }

    /// The place of a file that a scenario writes: below its folder, unless its path is absolute; nil for one that leads out of it.
    static func path(_ text: String, in folder: String) -> String? {
        let folder = URL(fileURLWithPath: folder, isDirectory: true).standardizedFileURL
        let file = URL(fileURLWithPath: text, relativeTo: folder).standardizedFileURL.path
        return text.hasPrefix("/") || file.hasPrefix(folder.path + "/") ? file : nil
    }

    static func outside(_ path: String) -> String {
        "'\(path)' leads out of the folder for what scenarios write; name a file in it, or an absolute path"
    }
}

extension ScenarioParty.Setting {
    /// The options with this key alone; nil if they cannot be parsed.
    var options: ListenCommand? { try? ListenCommand.parse(arguments) }
}
