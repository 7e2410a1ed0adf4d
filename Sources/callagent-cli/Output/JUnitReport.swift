internal import Foundation

/// The results of a command's calls for a continuous-integration server: JUnit's XML, one test suite.
struct JUnitReport {
    /// One test case.
    struct Case {
        let className: String
        let name: String
        let seconds: Double
        /// Why it failed; nil if it passed.
        let failure: String?
    }

    let name: String
    let cases: [Case]
    /// Why the command ended before its calls did; nil if it did not.
    let error: String?

    /// The XML document.
    var xml: String {
        let failures = cases.count { $0.failure != nil }
        let seconds = cases.reduce(0) { $0 + $1.seconds }
        let attributes = """
            name="\(name.markup)" tests="\(cases.count + (error == nil ? 0 : 1))" failures="\(failures)" \
            errors="\(error == nil ? 0 : 1)" skipped="0" time="\(Self.number(seconds))"
            """
        var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#, "<testsuites>", "  <testsuite \(attributes)>"]
        for one in cases {
            let head = Self.head(one.className, one.name, one.seconds)
            if let failure = one.failure {
                lines += [head + ">", #"      <failure message="\#(failure.markup)"/>"#, "    </testcase>"]
            } else {
                lines.append(head + "/>")
            }
        }
        if let error {
            let head = Self.head(name.replacingOccurrences(of: " ", with: "."), "the command", 0)
            lines += [head + ">", #"      <error message="\#(error.markup)"/>"#, "    </testcase>"]
        }
        return (lines + ["  </testsuite>", "</testsuites>", ""]).joined(separator: "\n")
    }

    /// Writes the document to `path`.
    ///
    /// - Throws: a ``Failure`` if the file cannot be written.
    func write(to path: String) throws(Failure) { try WritableFile.write(Data(xml.utf8), to: path) }

    private static func head(_ className: String, _ name: String, _ seconds: Double) -> String {
        #"    <testcase classname="\#(className.markup)" name="\#(name.markup)" time="\#(number(seconds))""#
    }

    private static func number(_ seconds: Double) -> String { String(format: "%.3f", seconds) }
}
