/// The verdict about a command's calls as the program's JSON has it.
struct VerdictDocument: Encodable {
    struct Judged: Encodable {
        let expectation: String
        let met: Bool
        /// Missing if there was no such number.
        let actual: Double?
    }

    /// With which the program ends.
    let exitCode: Int32
    let expectations: [Judged]

    init(_ failure: Failure?, _ outcomes: [Expectation.Outcome]) {
        exitCode = (Interruption.status ?? failure?.status ?? .success).rawValue
        expectations = outcomes.map {
            Judged(expectation: $0.expectation.description, met: $0.complaint == nil, actual: $0.actual)
        }
    }
}

/// A document with the verdict about it.
struct JudgedDocument<Document: Encodable>: Encodable {
    private enum CodingKeys: CodingKey { case verdict }

    let document: Document
    let verdict: VerdictDocument

    func encode(to encoder: any Encoder) throws {
        try document.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(verdict, forKey: .verdict)
    }
}
