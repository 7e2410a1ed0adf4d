internal import ArgumentParser
internal import Yams

/// A value in a scenario file, which knows its place for complaints.
struct ScenarioNode {
    let file: String
    private let node: Node

    /// The size limit of a file, in bytes.
    private static let longest = 262_144

    /// Reads the whole file.
    ///
    /// - Throws: a ``Failure`` of wrong usage with the place at which the file is no YAML.
    static func read(_ path: String) throws(Failure) -> ScenarioNode {
        let text = try TextFile.read(path, longest: longest)
        do {
            guard let node = try compose(yaml: text) else {
                throw Failure(.usage, "\(path):1:1: the file is empty; a scenario has parties and steps")
            }
            return ScenarioNode(file: path, node: node)
        } catch let failure as Failure {
            throw failure
        } catch let error as YamlError {
            throw Failure(.usage, place(of: error, in: path))
        } catch {
            throw Failure(.usage, "\(path):1:1: the file is no YAML")
        }
    }

    private static func place(of error: YamlError, in path: String) -> String {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            "\(path):\(mark): the file is no YAML: \(problem.printable)"
        case .duplicatedKeysInMapping(let keys, let context):
            "\(path):\(context.mark): '\((keys.first ?? "").printable)' is there twice; leave one out"
        case .reader(let problem, _, _, _): "\(path):1:1: the file is no YAML: \(problem.printable)"
        default: "\(path):1:1: the file is no YAML"
        }
    }

    /// The line, from 1.
    var line: Int { node.mark?.line ?? 1 }

    /// File, line and column, such as `file.yaml:4:3`.
    var place: String { "\(file):\(node.mark?.description ?? "1:1")" }

    /// A ``Failure`` of wrong usage at this place.
    func complaint(_ text: String) -> Failure { Failure(.usage, "\(place): \(text)") }

    /// Whether nothing was written.
    var isEmpty: Bool {
        guard case .scalar(let scalar) = node, scalar.style == .plain else { return false }
        return ["", "~", "null"].contains(scalar.string)
    }

    // MARK: Kinds of values

    /// A text or a number, as it was written; `what` names it in the complaint.
    func text(_ what: String) throws(Failure) -> String {
        guard case .scalar(let scalar) = node, !isEmpty else { throw complaint("\(what) has to be a text") }
        return scalar.string
    }

    /// The elements of a list; a text alone is a list of one.
    func elements(_ what: String) throws(Failure) -> [ScenarioNode] {
        switch node {
        case .sequence(let sequence): return sequence.map { ScenarioNode(file: file, node: $0) }
        case .scalar where !isEmpty: return [self]
        default: throw complaint("\(what) has to be a list")
        }
    }

    /// The keys and values of an object, in the order of the file.
    func entries(_ what: String) throws(Failure) -> [Entry] {
        guard case .mapping(let mapping) = node else {
            if isEmpty { return [] }
            throw complaint("\(what) has to be a mapping of keys to values")
        }
        var entries: [Entry] = []
        for (key, value) in mapping {
            let key = ScenarioNode(file: file, node: key)
            let name = try key.text("a key")
            // The parser tells 1 from "1".
            guard !entries.contains(where: { $0.name == name }) else {
                throw key.complaint("'\(name.printable)' is there twice; leave one out")
            }
            entries.append(Entry(name: name, key: key, value: ScenarioNode(file: file, node: value)))
        }
        return entries
    }

    /// The values of an object by their keys; keys that are not among `known` are refused.
    func fields(_ what: String, known: [String]) throws(Failure) -> [String: ScenarioNode] {
        var fields: [String: ScenarioNode] = [:]
        for entry in try entries(what) {
            guard known.contains(entry.name) else { throw entry.unknown(what, known) }
            fields[entry.name] = entry.value
        }
        return fields
    }

    func duration(_ what: String) throws(Failure) -> DurationArgument {
        let text = try text(what)
        guard let duration = DurationArgument(argument: text) else {
            throw complaint("\(what): \(DurationArgument.fault(of: text.printable, forms: ["2s", "500ms", "1m30s"]))")
        }
        return duration
    }

    /// Reads the text by a function of the command line, whose complaint gets this place.
    func parsed<Value>(_ what: String, _ parse: (String) throws -> Value) throws(Failure) -> Value {
        let text = try text(what)
        do {
            return try parse(text)
        } catch {
            throw complaint((error as? ValidationError)?.message ?? "\(error)")
        }
    }

    /// A key and its value.
    struct Entry {
        let name: String
        let key: ScenarioNode
        let value: ScenarioNode

        /// The complaint about a key that nobody knows.
        func unknown(_ what: String, _ known: [String]) -> Failure {
            let advice =
                Misspelling.nearest(to: name, among: known).map { "did you mean '\($0)'?" }
                ?? "there are \(known.joined(separator: ", "))"
            return key.complaint("\(what) has no key '\(name.printable)'; \(advice)")
        }
    }
}
