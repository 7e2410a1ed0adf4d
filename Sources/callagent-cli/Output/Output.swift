internal import Foundation

/// The program's standard output and standard error.
enum Output {
    /// Whether a person watches standard error.
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// A line for whoever reads the results.
    ///
    /// Written at once and whole, so that lines of several tasks do not mix.
    static func line(_ text: String) { write(text + "\n", to: .standardOutput) }

    /// A line about a failure.
    static func error(_ text: String) { write("callagent: " + text + "\n", to: .standardError) }

    /// A line that a person may like to see meanwhile.
    static func progress(_ text: String) { if isTerminal { write(text + "\n", to: .standardError) } }

    /// One JSON document.
    static func document(_ value: some Encodable) { line(json(value, [.prettyPrinted])) }

    /// One JSON object on one line.
    static func event(_ value: some Encodable) { line(json(value, [])) }

    /// Checks what the user expects of a document.
    ///
    /// - Throws: a ``Failure`` for the first expectation that is not met.
    static func check(_ value: some Encodable, _ expectations: [Expectation]) throws(Failure) {
        guard !expectations.isEmpty,
            let document = try? JSONSerialization.jsonObject(with: Data(json(value, []).utf8))
        else { return }
        for expectation in expectations {
            if let complaint = expectation.complaint(about: document) { throw Failure(.expectation, complaint) }
        }
    }

    private static func json(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.withoutEscapingSlashes, .sortedKeys])
        // Numbers that JSON cannot hold do not occur: every figure is rounded before.
        guard let data = try? encoder.encode(value) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }

    /// A reader that went away is no reason to fail.
    private static func write(_ text: String, to handle: FileHandle) { try? handle.write(contentsOf: Data(text.utf8)) }
}
