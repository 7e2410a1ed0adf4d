import Conformance
import Foundation

extension Browser {
    /// Runs a function of `Peers/conformance.js` for each list of arguments, in a page of the server.
    func conform(_ function: String, _ runs: [[JSONValue]]) async throws -> [JSONValue] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Peers/conformance.js")
        let script = try String(contentsOf: file, encoding: .utf8)
        // JSON is also valid JavaScript.
        let list = JSONValue.array(runs.map { .array($0) }).text
        return try await evaluate("\(script)\nreturn \(list).map((run) => \(function)(...run));")
    }
}

extension [JSONValue] {
    /// The place of the first difference to the page's results; nil if there is none.
    func difference(to page: JSONValue) -> (place: Int, expected: String, page: String)? {
        let said = page.array ?? []
        for place in 0..<Swift.max(count, said.count) {
            let (mine, its) = (
                indices.contains(place) ? self[place] : nil, said.indices.contains(place) ? said[place] : nil
            )
            if mine != its { return (place, mine?.text ?? "nothing", its?.text ?? "nothing") }
        }
        return nil
    }
}
