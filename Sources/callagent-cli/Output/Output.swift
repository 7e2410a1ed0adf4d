internal import Foundation
internal import Synchronization

/// The program's standard output and standard error.
enum Output {
    /// Whether standard error is a terminal.
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// Whether a result could not be written; the program then fails, even if its calls succeeded.
    static var hasLostResults: Bool { hasLost.load(ordering: .relaxed) }
    private static let hasLost = Atomic(false)

    /// The time that an event gets: now, in ms since 1970.
    static var unixMs: Double { (Date().timeIntervalSince1970 * 1_000).rounded() }

    /// A line of results.
    ///
    /// It is written at once and as a whole, so that lines of several tasks do not mix.
    static func line(_ text: String) { write(text + "\n", to: .standardOutput) }

    /// A line about a failure.
    static func error(_ text: String) { write("callagent: " + text + "\n", to: .standardError) }

    /// One JSON document.
    static func document(_ value: some Encodable) { line(json(value, [.prettyPrinted])) }

    /// One JSON object on one line.
    static func event(_ value: some Encodable) { line(json(value, [])) }

    /// Checks the user's expectations against a document.
    static func outcomes(in value: some Encodable, _ expectations: [Expectation]) -> [Expectation.Outcome] {
        guard !expectations.isEmpty, let document = object(value) else { return [] }
        return expectations.map { $0.outcome(in: document) }
    }

    /// The dictionaries, lists, texts and numbers of a document; nil if it has no JSON.
    static func object(_ value: some Encodable) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(json(value, []).utf8))
    }

    static func json(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.withoutEscapingSlashes, .sortedKeys])
        // JSON has no such numbers; one of them must not lose the whole document.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        guard let data = try? encoder.encode(value) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }

    private static func write(_ text: String, to handle: FileHandle) {
        StatusLine.above { writeWhole(text, to: handle) }
    }

    private static func writeWhole(_ text: String, to handle: FileHandle) {
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            // A closed pipe is no failure, nor is an error on standard error, which cannot be reported.
            guard handle === FileHandle.standardOutput, !error.isBrokenPipe else { return }
            let isFirst = hasLost.exchange(true, ordering: .relaxed) == false
            if isFirst {
                // The status line is put away already.
                writeWhole(
                    "callagent: standard output cannot be written: \(error.systemText); make room, or write elsewhere\n",
                    to: .standardError)
            }
        }
    }
}

extension Error {
    private var posixCode: Int? {
        let outer = self as NSError
        let inner = outer.userInfo[NSUnderlyingErrorKey] as? NSError ?? outer
        return inner.domain == NSPOSIXErrorDomain ? inner.code : nil
    }

    fileprivate var isBrokenPipe: Bool { posixCode == Int(EPIPE) }

    /// What the system says about a failed call; else what Foundation says.
    var systemText: String {
        posixCode.map { unsafe String(cString: strerror(Int32($0))) } ?? localizedDescription
    }
}
