import Testing

/// The samples of a page in Prometheus' text format 0.0.4, read strictly.
struct PrometheusSamples {
    private var samples: [String: Double] = [:]

    subscript(_ name: String) -> Double? { samples[name] }

    private func value(_ text: Substring) throws -> Double {
        if text == "+Inf" { return .infinity }
        return try #require(Double.init(String(text)) as Double?, "\(text) is no number")
    }

    /// The metrics of the server on `port`.
    init(port: Int) async throws {
        let answer = try await RawClient.answer("GET /metrics", port: port)
        let body = try #require(answer.firstRange(of: "\r\n\r\n"))
        try self.init(String(answer[body.upperBound...]))
    }

    init(_ text: String) throws {
        #expect(text.hasSuffix("\n"))
        var types: [String: Substring] = [:]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.hasPrefix("#") {
                let words = line.split(separator: " ", maxSplits: 3)
                try #require(words.count == 4 && (words[1] == "HELP" || words[1] == "TYPE"), "\(line)")
                if words[1] == "TYPE" { types[String(words[2])] = words[3] }
                continue
            }
            let sample = try #require(try #/([a-z_]+)(\{[a-z]+="[^"\\]*"\})? (\S+)/#.wholeMatch(in: line), "\(line)")
            let family = sample.1.replacing(#/_(bucket|sum|count)$/#, with: "")
            #expect(types[String(sample.1)] != nil || types[String(family)] == "histogram", "no type of \(sample.1)")
            let name = "\(sample.1)\(sample.2 ?? "")"
            #expect(samples[name] == nil, "\(name) appears twice")
            samples[name] = try value(sample.3)
        }
    }
}
