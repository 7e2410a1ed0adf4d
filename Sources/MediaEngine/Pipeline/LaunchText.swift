/// The launch line of a pipeline description; it may span several lines of the file.
struct LaunchText: Sendable, Equatable {
    /// One line of the file.
    struct Line: Sendable, Equatable {
        /// The line number, from 1.
        let number: Int
        let text: String
    }

    /// A part between spaces; quoted text is not split.
    private struct Word {
        var text: Substring
        let line: Int
    }

    private(set) var lines: [Line] = []

    mutating func append(_ text: Substring, number: Int) { lines.append(Line(number: number, text: String(text))) }

    /// The text that GStreamer parses.
    var joined: String {
        let text = lines.map(\.text).joined(separator: " ")
        let start = text.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }

    /// The line in which it begins.
    var firstLine: Int? { lines.first { line in line.text.contains { !$0.isWhitespace } }?.number }

    private var words: [Word] {
        lines.flatMap { line in
            var words: [Word] = []
            var start = line.text.startIndex
            var isQuoted = false
            for index in line.text.indices + [line.text.endIndex] {
                let character = index < line.text.endIndex ? line.text[index] : " "
                if character == "\"" { isQuoted.toggle() }
                guard character.isWhitespace, !isQuoted || index == line.text.endIndex else { continue }
                if start < index { words.append(Word(text: line.text[start..<index], line: line.number)) }
                if index < line.text.endIndex { start = line.text.index(after: index) }
            }
            return words
        }
    }

    /// The factories of its elements.
    var factories: [String] {
        // Every other word contains a sign: properties "=", caps "/", references ".", links "!".
        words.map(\.text).filter { word in
            word.first?.isLetter == true && word.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
        }
        .map(String.init)
    }

    /// The line that caused GStreamer's error `message`; nil when the message does not say.
    func line(faultedBy message: String) -> Int? {
        let words = words
        if message.hasPrefix("syntax error") { return Self.emptyLink(words) }
        // In "cannot link A to B" the fault is at B; in "no property P in element E" it is P.
        var names = message.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
        let parts = message.split(separator: " ")
        if message.hasPrefix("could not link"), let to = parts.firstIndex(of: "to"), to + 1 < parts.endIndex {
            names = [parts[to + 1].prefix { $0 != "," }, parts[to - 1]]
        }
        return names.lazy.compactMap { Self.line(of: $0, words) }.first
    }

    /// The line that names an element, sets a property or holds caps.
    private static func line(of name: Substring, _ words: [Word]) -> Int? {
        // An unnamed element is named after its factory, with a number.
        let factory = name.reversed().drop { $0.isNumber }.reversed()
        let candidates = [String(name), "name=\(name)", String(factory)]
        let word = words.first { word in
            candidates.contains(String(word.text)) || word.text.hasPrefix("\(name)=")
        }
        return (word ?? words.first { $0.text.contains(name) })?.line
    }

    /// The line with a link to nowhere, or else with an unclosed quote.
    private static func emptyLink(_ words: [Word]) -> Int? {
        let places = words.indices.filter { words[$0].text == "!" }
        let empty = places.first { $0 == 0 || $0 + 1 == words.endIndex || words[$0 + 1].text == "!" }
        return empty.map { words[$0].line } ?? words.first { $0.text.count { $0 == "\"" } % 2 == 1 }?.line
    }
}
