internal import ArgumentParser
internal import Foundation

/// What a user expects of a number in the JSON document: `summary.connected==20` or `median(video.received.jitterMs)<10`.
///
/// A path is the names from the document's root, joined by dots; a number as a name is an index into a list. A path that does
/// not begin at the root is looked for in every call of the document.
struct Expectation: Equatable {
    /// How the two numbers are compared.
    enum Comparison: String, CaseIterable {
        // The longer ones first: `<=` begins with `<`.
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case greater = ">"

        /// Whether greater numbers break it.
        var isUpperBound: Bool { self == .less || self == .lessOrEqual }

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

    /// What is compared of the numbers of several calls.
    enum Scope: String, CaseIterable {
        /// Every one of them.
        case all
        /// At least one of them.
        case any
        case min, median, p95, max
    }

    let scope: Scope
    let path: [String]
    let comparison: Comparison
    let number: Double

    /// - Throws: a `ValidationError` that says what is missing.
    init(parsing text: String) throws {
        let found = Comparison.allCases.lazy.compactMap { comparison in
            text.range(of: comparison.rawValue).map { (comparison, $0) }
        }.first
        guard let (comparison, range) = found else {
            throw ValidationError("'\(text)' has no comparison; \(Self.form)")
        }
        let right = text[range.upperBound...].trimmingCharacters(in: .whitespaces)
        guard let number = Double(right), number.isFinite else {
            throw ValidationError("'\(right)' in '\(text)' is no number; \(Self.form)")
        }
        let left = text[..<range.lowerBound].trimmingCharacters(in: .whitespaces)
        (scope, path) = try Self.scopedPath(left)
        (self.comparison, self.number) = (comparison, number)
    }

    private static let form =
        "write FIGURE, one of < <= > >= == !=, and a number, such as 'video.received.lossPercent<1'"

    /// Reads `median(a.b)`; without a scope all calls count.
    private static func scopedPath(_ text: String) throws -> (Scope, [String]) {
        var (scope, inner) = (Scope.all, Substring(text))
        if text.hasSuffix(")"), let open = text.firstIndex(of: "(") {
            let name = String(text[..<open])
            guard let named = Scope(rawValue: name) else {
                let names = Scope.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("'\(name)' in '\(text)' is none of \(names); \(form)")
            }
            (scope, inner) = (named, text[text.index(after: open)...].dropLast())
        }
        let path = inner.trimmingCharacters(in: .whitespaces).split(separator: ".", omittingEmptySubsequences: false)
            .map(String.init)
        guard !path.contains(""), !inner.contains(where: { "()".contains($0) }) else {
            throw ValidationError("'\(text)' is no figure; \(form)")
        }
        return (scope, path)
    }

    var description: String {
        let path = path.joined(separator: ".")
        return (scope == .all ? path : "\(scope.rawValue)(\(path))") + " \(comparison.rawValue) \(number.brief)"
    }
}

extension Double {
    /// Without the fraction of a whole number: `2`, not `2.0`.
    var brief: String { Int(exactly: self).map(String.init) ?? description }
}
