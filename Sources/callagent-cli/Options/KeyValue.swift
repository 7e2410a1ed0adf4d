internal import ArgumentParser

/// A key and a value, written `KEY=VALUE`.
struct KeyValue: ExpressibleByArgument, Equatable {
    let key: String
    let value: String

    init?(argument: String) {
        guard let mark = argument.firstIndex(of: "="), mark > argument.startIndex else { return nil }
        key = String(argument[..<mark])
        value = String(argument[argument.index(after: mark)...])
    }
}
