extension String {
    /// The parts between the occurrences of `separator`, including empty ones.
    func components(of separator: String) -> [String] {
        var parts: [String] = []
        var rest = Substring(self)
        while let range = rest.firstRange(of: separator) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }

    /// The text with every occurrence replaced.
    func replacing(_ old: String, by new: String) -> String { components(of: old).joined(separator: new) }
}
