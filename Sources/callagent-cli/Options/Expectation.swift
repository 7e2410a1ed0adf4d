internal import ArgumentParser
internal import Foundation

/// What a user expects of a number in the JSON document: `summary.firstFrameMs.median<120`.
///
/// A path is the names from the document's root, joined by dots; a number as a name is an index into a list. A path that does
/// not begin at the root is looked for in every call of the document, and has to hold in each.
struct Expectation: ExpressibleByArgument, Equatable {
    /// How the two numbers are compared.
    enum Comparison: String, CaseIterable {
        // The longer ones first: `<=` begins with `<`.
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case greater = ">"

        func holds(_ left: Double, _ right: Double) -> Bool {
            switch self {
            case .lessOrEqual: left <= right
            case .greaterOrEqual: left >= right
            case .equal: left == right
            case .notEqual: left != right
            case .less: left < right
            case .greater: left > right
            }
        }
    }

    let path: [String]
    let comparison: Comparison
    let number: Double

    init?(argument: String) {
        for comparison in Comparison.allCases {
            guard let range = argument.range(of: comparison.rawValue) else { continue }
            let path = argument[..<range.lowerBound].trimmingCharacters(in: .whitespaces)
            guard !path.isEmpty, let number = Double(argument[range.upperBound...].trimmingCharacters(in: .whitespaces))
            else {
                return nil
            }
            self.path = path.split(separator: ".").map(String.init)
            self.comparison = comparison
            self.number = number
            return
        }
        return nil
    }

    var description: String { "\(path.joined(separator: ".")) \(comparison.rawValue) \(number)" }

    /// What is wrong; nil when the expectation is met.
    func complaint(about document: Any) -> String? {
        var roots = [document]
        if let object = document as? [String: Any], let first = path.first, object[first] == nil {
            roots = object["calls"] as? [Any] ?? []
        }
        let expected = description
        guard !roots.isEmpty else { return "expected \(expected), but there was no call" }
        for root in roots {
            guard let value = Self.number(at: path, in: root) else {
                return "expected \(expected), but there is no such number"
            }
            guard comparison.holds(value, number) else { return "expected \(expected), but it is \(value)" }
        }
        return nil
    }

    private static func number(at path: [String], in root: Any) -> Double? {
        var value: Any? = root
        for name in path {
            if let object = value as? [String: Any] {
                value = object[name]
            } else if let list = value as? [Any], let index = Int(name), list.indices.contains(index) {
                value = list[index]
            } else {
                return nil
            }
        }
        return (value as? NSNumber)?.doubleValue
    }
}
