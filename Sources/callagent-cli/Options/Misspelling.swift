/// Suggests a name for a misspelled one.
enum Misspelling {
    /// The name nearest to `word`, if it is near enough, else the only one that begins like it; the first of equally near names.
    static func nearest(to word: String, among names: [String]) -> String? {
        let near = names.map { (name: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        if let near, near.distance <= max(1, word.count / 3) { return near.name }
        let longer = names.filter { $0.hasPrefix(word.prefix(3)) && word.count >= 3 }
        return longer.count == 1 ? longer[0] : nil
    }

    /// The number of characters to insert, delete, replace or swap with the next one (optimal string alignment).
    static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one), Array(other))
        var rows = [Array(0...other.count)]
        for (i, character) in one.enumerated() {
            var row = [i + 1]
            for (j, target) in other.enumerated() {
                var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (character == target ? 0 : 1))
                if i > 0, j > 0, character == other[j - 1], one[i - 1] == target {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
