internal import Foundation
internal import Synchronization

/// The program's standard output and standard error.
enum Output {
    /// Whether a person watches standard error.
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// Whether a result could not be written; the program fails then, whatever its calls did.
    static var hasLostResults: Bool { hasLost.load(ordering: .relaxed) }
    private static let hasLost = Atomic(false)

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
    static func complaints(
        about value: some Encodable, _ expectations: [Expectation]
    ) -> [(expectation: Expectation, complaint: String?)] {
        guard !expectations.isEmpty,
            let document = try? JSONSerialization.jsonObject(with: Data(json(value, []).utf8))
        else { return [] }
        return expectations.map { ($0, $0.complaint(about: document)) }
    }

    static func json(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.withoutEscapingSlashes, .sortedKeys])
        // JSON has no such numbers; one in a figure is no reason to lose the others.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        guard let data = try? encoder.encode(value) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }

    private static func write(_ text: String, to handle: FileHandle) {
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            // A reader that went away is no reason to fail, nor is an error that nobody can be told of.
            guard handle === FileHandle.standardOutput, !error.isBrokenPipe else { return }
            let isFirst = hasLost.exchange(true, ordering: .relaxed) == false
            if isFirst {
                Self.error("standard output cannot be written: \(error.reason); make room, or write elsewhere")
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

    fileprivate var reason: String {
        posixCode.map { unsafe String(cString: strerror(Int32($0))) } ?? localizedDescription
    }
}
